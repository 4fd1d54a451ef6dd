import { resolve } from 'node:path';
import type { MethodName } from '../../src/campaign/search/search.ts';
import { findTemporalCli } from '../../src/dev/temporal-cli.ts';
import { REHEARSAL } from '../../test/service/fixed.ts';
import { toTheEnd } from '../../test/support/campaigns.ts';
import { until } from '../../test/support/until.ts';
import { startWorkerProcess } from '../../test/support/worker.ts';
import { rehearsal, startWorld, type World } from '../../test/support/world.ts';
import type { Part } from '../report.ts';
import { regions } from './regions.ts';

/** The regions of the searches. */
const besideRegions = ['7 ordered inputs', '10 ordered inputs', 'a strip of 1e-5', 'a simplex of 10 inputs'];
const methods = ['gp', 'cma', 'direct'] as const;
/**
 * The campaign that is measured beside a search: its runs, the seconds that a run waits, and how many run at once. So its
 * speed depends on how soon its worker acts.
 */
const [RUNS, SECONDS, AT_ONCE] = [32, 0.25, 4];
/** The points that a search has before the first measurement. */
const FIRST = 20;
/** The allowed loss of speed. */
const MOST = 0.05;

interface BesideRow {
  region: string;
  method: MethodName;
  /** Seconds of the other campaign, the means. */
  alone: number;
  beside: number;
  /** Points of the search for a second, while it was measured. */
  points: number;
}

/**
 * How much of its speed a campaign loses beside a search in a narrow region, on the same worker. The campaign is measured
 * beside the search and while the search is paused, in turns, because the machine may be shared.
 */
export async function besidePart(rounds: number): Promise<Part<BesideRow>> {
  process.env.FORAY_TEMPORAL_CLI ??= await findTemporalCli(console.error);
  const world = await startWorld({
    models: [REHEARSAL, resolve(import.meta.dirname, 'models/far')],
    executors: 2 * AT_ONCE,
  });
  const worker = startWorkerProcess(world.settings);
  const rows: BesideRow[] = [];
  try {
    await worker.ready;
    // in the first campaign of a worker, V8 also compiles code
    await secondsOf(world);
    for (const region of besideRegions)
      for (const method of methods) rows.push(await measured(world, { region, method }, rounds));
  } finally {
    await worker.kill();
    await world.close();
  }
  const loss = ({ alone, beside }: Pick<BesideRow, 'alone' | 'beside'>): number => 1 - alone / beside;
  // one duration is as long as a few ticks of a second, so a row by itself is uncertain by several percent
  const ofMethod = (method: MethodName): number => {
    const own = rows.filter((row) => row.method === method);
    const sum = (name: 'alone' | 'beside'): number => own.reduce((all, row) => all + row[name], 0);
    return loss({ alone: sum('alone'), beside: sum('beside') });
  };
  return {
    name: 'beside',
    title: `A campaign of ${RUNS} runs beside a search in a narrow region: means of ${rounds} rounds`,
    rows,
    columns: [
      { title: 'region', of: ({ region }) => region },
      { title: 'method', of: ({ method }) => method },
      { title: 'alone, s', of: ({ alone }) => alone, digits: 2 },
      { title: 'beside, s', of: ({ beside }) => beside, digits: 2 },
      { title: 'loss, %', of: (row) => 100 * loss(row), digits: 1 },
      { title: 'points a second', of: ({ points }) => points, digits: 1 },
    ],
    goals: methods.map((method) => ({
      what: `loss of speed beside ${method}, all regions`,
      figure: ofMethod(method),
      most: MOST,
    })),
  };
}

let campaigns = 0;

/** The duration of the other campaign, s. */
async function secondsOf(world: World): Promise<number> {
  campaigns += 1;
  const id = `other-${campaigns}`;
  const begun = performance.now();
  await world.foray.submit(
    rehearsal({ count: RUNS, seconds: SECONDS, first: campaigns * RUNS, more: `concurrency: ${AT_ONCE}` }),
    { id },
  );
  await toTheEnd(world, id);
  return (performance.now() - begun) / 1_000;
}

async function measured(
  world: World,
  { region, method }: Pick<BesideRow, 'region' | 'method'>,
  rounds: number,
): Promise<BesideRow> {
  const { foray } = world;
  const id = `search-${campaigns}`;
  const { inputs, where } = regions[region]!;
  const over = Object.fromEntries(inputs.map(({ name }) => [name, { min: 0, max: 1 }]));
  const search = { minimize: 'f', over, where, method, parallel: AT_ONCE, stop: { points: 100_000 } };
  await foray.submit(
    {
      file: 'search.yaml',
      text: `campaign: search\nmodel: {name: Far}\nconcurrency: ${AT_ONCE}\nsearch: ${JSON.stringify(search)}\n`,
    },
    { id },
  );
  const points = async (): Promise<number> => (await foray.status(id)).points;
  await until('the search has points', async () => (await points()) >= FIRST);
  const times = { alone: [] as number[], beside: [] as number[] };
  let made = 0;
  for (let round = 0; round < rounds; round += 1) {
    const before = await points();
    times.beside.push(await secondsOf(world));
    made += (await points()) - before;
    await foray.steer(id, 'pause');
    await until('the search is paused', async () => {
      const { phase, runs } = await foray.status(id);
      return phase === 'paused' && runs.running + runs.queued === 0;
    });
    times.alone.push(await secondsOf(world));
    await foray.steer(id, 'resume');
  }
  await foray.cancel(id);
  await toTheEnd(world, id);
  const sum = (all: readonly number[]): number => all.reduce((total, seconds) => total + seconds, 0);
  const total = sum(times.beside);
  return { region, method, alone: sum(times.alone) / rounds, beside: total / rounds, points: made / total };
}
