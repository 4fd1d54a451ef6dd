import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ForayWay, type Size } from '../foray.ts';
import { type Lab, progress } from '../lab.ts';
import type { Measured } from '../measure.ts';
import type { Process } from '../../process.ts';
import type { Part } from '../../report.ts';

const FEW = 10_000;
const VALUES = 1_000;
const EVERY_MS = 10_000;
/** Number of samples per figure. The figure is their median, because each sample contains temporary objects. */
const SAMPLES = 3;
const HOOK = resolve(import.meta.dirname, '../../../test/support/heap-hook.ts');

interface Row {
  at: string;
  runs: number;
  heapMb: number;
  msARun: number;
  cpuMs: number;
  peakMb?: number;
}

interface Sample {
  finished: number;
  heapMb: number;
}

/**
 * Measures whether the worker's heap and the time per run grow in a very large campaign. Both are compared with the
 * same figures at about 10,000 runs. The service has already finished all runs.
 */
export async function million(lab: Lab, runs: number): Promise<Part<Row>> {
  await lab.stub.reset({ there: true });
  const way = await ForayWay.start(lab, { flags: ['--expose-gc', '--import', HOOK] });
  try {
    // the first campaign warms up the compiler, which affects the time per run
    progress(`million: ${FEW} runs twice, to warm up and to compare with`);
    await way.run(sizeOf(FEW));
    await lab.stub.reset({ there: true });
    const few = await way.run(sizeOf(FEW));
    progress(`million: ${runs} runs`);
    await lab.stub.reset({ there: true });
    const samples: Sample[] = [];
    const size = sizeOf(runs);
    const large = await way.run(size, {
      during: (id) => sampled(way, id, size.values * size.seeds, samples),
    });
    return partOf(few, large, samples);
  } finally {
    await way.close();
  }
}

/** The numbers of values and of seeds for a number of runs. There are at most 1,000 values for any number of runs. */
function sizeOf(runs: number): Required<Pick<Size, 'values' | 'seeds'>> {
  const values = Math.min(VALUES, runs);
  return { values, seeds: Math.ceil(runs / values) };
}

/** Samples the worker's heap while a campaign runs. The first sample is taken when 10,000 runs have finished. */
async function sampled(way: ForayWay, id: string, runs: number, samples: Sample[]): Promise<void> {
  let before = { finished: 0, at: Date.now() };
  for (;;) {
    const { phase, runs: counts } = await way.foray.status(id);
    const finished = counts.done + counts.failed;
    if (['completed', 'failed', 'cancelled'].includes(phase) || finished >= runs) return;
    if (finished < FEW || finished === before.finished) {
      await delay(500);
      continue;
    }
    const heapMb = await heapOf(way.workers[0]!);
    samples.push({ finished, heapMb });
    const rate = (finished - before.finished) / ((Date.now() - before.at) / 1_000);
    before = { finished, at: Date.now() };
    progress(`million: ${finished} of ${runs}, ${rate.toFixed(0)} a second, heap ${heapMb.toFixed(1)} MB`);
    // the first samples show the heap at about 10,000 runs, so there is little time between them
    await delay(samples.length < SAMPLES ? 500 : EVERY_MS);
  }
}

/** The heap of all threads of a worker after a garbage collection, MB. */
async function heapOf(worker: Process): Promise<number> {
  const { heaps } = await worker.ask<{ heaps: number[] }>('heap');
  return heaps.reduce((sum, heap) => sum + heap, 0) / 2 ** 20;
}

function partOf(few: Measured, large: Measured, samples: Sample[]): Part<Row> {
  const middle = (some: Sample[]): Sample =>
    some.toSorted((a, b) => a.heapMb - b.heapMb)[Math.floor(some.length / 2)] ?? { finished: 0, heapMb: NaN };
  const first = middle(samples.slice(0, SAMPLES));
  const last = middle(samples.slice(-SAMPLES));
  const msOf = ({ seconds, runs }: Measured): number => (1_000 * seconds) / runs;
  const rows: Row[] = [
    {
      at: `at ${first.finished} runs`,
      runs: few.runs,
      heapMb: first.heapMb,
      msARun: msOf(few),
      cpuMs: few.cpuMs,
    },
    {
      at: `at ${last.finished} runs`,
      runs: large.runs,
      heapMb: last.heapMb,
      msARun: msOf(large),
      cpuMs: large.cpuMs,
      peakMb: large.peakMb,
    },
  ];
  return {
    name: 'million',
    title: `million: ${large.runs} runs that the service has already finished`,
    rows,
    columns: [
      { title: 'heap', of: ({ at }) => at },
      { title: 'MB', of: ({ heapMb }) => heapMb, digits: 1 },
      { title: 'time of a campaign of', of: ({ runs }) => runs },
      { title: 'ms a run', of: ({ msARun }) => msARun, digits: 3 },
      { title: 'CPU ms', of: ({ cpuMs }) => cpuMs, digits: 3 },
      { title: 'peak MB', of: ({ peakMb }) => peakMb },
    ],
    goals: [
      {
        what: 'heap after a garbage collection: near the end / at 10,000 runs',
        figure: last.heapMb / first.heapMb,
        most: 1.2,
      },
      { what: 'time a run / time a run of 10,000 runs', figure: msOf(large) / msOf(few), most: 1.1 },
    ],
    notes: [
      `The heap is the sum over all threads of the worker. The first figure is the median of the first ${SAMPLES} of ${samples.length} samples in one campaign, and the second figure is the median of the last ${SAMPLES}.`,
    ],
  };
}
