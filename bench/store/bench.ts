import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openStore, type RunObservation, type Store } from '../../src/store/index.ts';
import { campaignOf, NUMBERS, outputsOf, pointsOf, REPLICATIONS } from '../numbers.ts';
import { documentOf, isMet, type Part, textOf } from '../report.ts';
import { uniform } from '../uniform.ts';

/** Number of runs that an activity writes together. */
const BATCH = 200;
const PARTS = 10;
const LEAST_ROWS_A_SECOND = 20_000;
const MOST_SLOWER = 1.2;

interface Row {
  what: string;
  rows: number;
  seconds: number;
}

/**
 * Writes a million runs with five outputs each into SQLite, in the same way as one worker: first the design, and then
 * the intents and the results of each batch. An intent records that a run will be requested. The report has rows for
 * each tenth of the runs, because the last tenth must not take much longer than the first.
 */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: '1000000' },
      json: { type: 'boolean', default: false },
    },
  });
  const runs = Number(values.runs);
  const folder = mkdtempSync(join(tmpdir(), 'foray-store-'));
  const store = await openStore(`sqlite:${join(folder, 'store.db')}`);
  try {
    const part = partOf(runs, await measure(store, runs));
    console.log(values.json ? JSON.stringify({ parts: [documentOf(part)] }, undefined, 2) : textOf(part));
    return part.goals.every(isMet);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(store: Store, runs: number): Promise<Row[]> {
  const rows: Row[] = [];
  const timed = async (what: string, count: number, act: () => Promise<unknown>): Promise<void> => {
    const from = performance.now();
    await act();
    rows.push({ what, rows: count, seconds: (performance.now() - from) / 1_000 });
  };
  const campaign = campaignOf(runs / REPLICATIONS);
  await store.addCampaign({ campaign, definition: 'campaign: numbers\n', digest: '' }, 1);
  await timed('the design', runs, () =>
    store.addPoints(NUMBERS, pointsOf(runs / REPLICATIONS), REPLICATIONS),
  );
  await store.setPhase(NUMBERS, 'running', 2);
  const next = uniform(1);
  for (let part = 0; part < PARTS; part++) {
    const first = (part * runs) / PARTS;
    const written = { what: `results, tenth ${part + 1}`, rows: runs / PARTS, seconds: 0 };
    await timed(`intents and results, tenth ${part + 1}`, runs / PARTS, async () => {
      for (let from = first; from < first + runs / PARTS; from += BATCH) {
        const seqs = Array.from({ length: BATCH }, (_, at) => from + at);
        await store.intend(NUMBERS, seqs, 3);
        const done = seqs.map((seq): RunObservation => {
          return { seq, state: 'done', runId: `run-${seq}`, origin: 'new', outputs: outputsOf(next) };
        });
        const begun = performance.now();
        await store.observe(NUMBERS, done, 4);
        written.seconds += (performance.now() - begun) / 1_000;
      }
    });
    rows.push(written);
  }
  return rows;
}

function partOf(runs: number, rows: Row[]): Part<Row> {
  const written = rows.filter(({ what }) => what.startsWith('results, '));
  const seconds = written.reduce((sum, row) => sum + row.seconds, 0);
  return {
    name: 'store',
    title: `store: ${runs.toLocaleString('en')} runs with five outputs each into SQLite, ${BATCH} at a time`,
    rows,
    columns: [
      { title: 'what', of: ({ what }) => what },
      { title: 's', of: (row) => row.seconds, digits: 2 },
      { title: 'rows a second', of: (row) => row.rows / row.seconds },
    ],
    goals: [
      { what: 'results a second', figure: runs / seconds, least: LEAST_ROWS_A_SECOND },
      {
        what: 'time of the last tenth / time of the first tenth',
        figure: written.at(-1)!.seconds / written[0]!.seconds,
        most: MOST_SLOWER,
      },
    ],
  };
}
