import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { seeded } from '../support/durations.ts';
import type { DefinitionSource } from '../../src/client/index.ts';
import { formatResults } from '../../src/report/index.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { isFull, report, seeds } from '../support/seeds.ts';
import { until } from '../support/until.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';
import { EPIDEMIC, REHEARSAL } from '../service/fixed.ts';

/**
 * The test kills workers with SIGKILL. The results equal the results of an undisturbed campaign, byte for byte. No run
 * is executed twice. After most starts of a worker, the test waits until the campaigns make progress, and reports the
 * longest of these times.
 */

const KILLS = isFull ? 8 : 2;

let world: World;
/** The world of the undisturbed campaigns. Its service does not know the runs of the other campaigns. */
let calm: World;
let worker: WorkerProcess | undefined;
const figure = { kills: 0, campaigns: 0, equal: 0, slowest: 0 };

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC, REHEARSAL] });
  calm = await startWorld({ models: [EPIDEMIC, REHEARSAL], beside: world });
  await calm.startWorker();
});
afterAll(async () => {
  await worker?.kill();
  await calm.close();
  await world.close();
  report(
    `worker killed ${figure.kills} times over ${figure.campaigns} campaigns: the results of ${figure.equal} of ${figure.campaigns} ` +
      `equal the undisturbed results; longest time from a start to progress ${(figure.slowest / 1_000).toFixed(1)} s`,
  );
});

/**
 * Two definitions: one with a model whose outputs depend on every input and the seed, and one with a model of slow
 * runs. Their concurrency limits make both campaigns long enough for several kills.
 */
function definitionsOf(seed: number, random: () => number): DefinitionSource[] {
  const epidemic = `
campaign: epidemic
model: {name: Epidemic}
inputs: {Stochastic: true}
design: {grid: {Contact rate: {from: 1.5, to: 2.4, step: ${isFull ? 0.1 : 0.3}}, Recovery rate: [0.4, 0.45]}}
replications: ${isFull ? 3 : 2}
seed: ${seed}
concurrency: ${3 + Math.floor(random() * 4)}
`;
  return [
    { text: epidemic, file: 'epidemic.yaml' },
    rehearsal({
      count: isFull ? 40 : 25,
      first: 1_000 * seed,
      // with shorter runs, the campaign might be over before the last kill
      seconds: 0.4 + 0.7 * random(),
      more: `concurrency: ${3 + Math.floor(random() * 4)}`,
    }),
  ];
}

async function csv({ foray }: World, id: string): Promise<string> {
  const { record, rows } = await foray.results(id);
  return (await Array.fromAsync(formatResults('csv', record.campaign, rows))).join('');
}

/**
 * Waits until each campaign has made progress or is completed. Returns the time in ms from the start of the worker to
 * the latest progress.
 */
async function progress(ids: string[], since: number): Promise<number> {
  const times = await Promise.all(
    ids.map((id) =>
      until(`${id} makes progress`, async () => {
        const { phase, updatedAt } = (await world.foray['store'].getCampaign(id))!;
        return phase === 'completed' ? since : updatedAt > since && updatedAt;
      }),
    ),
  );
  return Math.max(...times) - since;
}

test.each(seeds(1, 5))(
  'campaigns complete when workers are killed at random moments, seed %i',
  async (seed) => {
    const random = seeded(seed);
    const definitions = definitionsOf(seed, random);
    const submitted = await Promise.all(definitions.map((definition) => world.foray.submit(definition)));
    const undisturbed = await Promise.all(definitions.map((definition) => calm.foray.submit(definition)));
    const ids = submitted.map(({ id }) => id);
    const before = world.executions().length;

    let kills = 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      worker = startWorkerProcess(world.settings);
      if (kill === 1 || random() < 0.8) {
        const ms = await progress(ids, worker.startedAt);
        figure.slowest = Math.max(figure.slowest, ms);
        await delay(random() * 1_000);
      } else {
        // this worker may be killed before it does anything
        await delay(random() * 5_000);
      }
      const phases = await Promise.all(
        ids.map(async (id) => (await world.foray['store'].getCampaign(id))!.phase),
      );
      // on a slow machine, the service may finish all runs before the last kill
      if (phases.every((phase) => phase === 'completed')) break;
      await worker.kill();
      kills += 1;
      await delay(random() * 1_000);
    }
    expect(kills).toBeGreaterThan(KILLS / 2);
    figure.kills += kills;
    await worker!.kill();
    worker = startWorkerProcess(world.settings);
    const last = await progress(ids, worker.startedAt);
    figure.slowest = Math.max(figure.slowest, last);

    for (const [at, id] of ids.entries()) {
      figure.campaigns += 1;
      expect((await toTheEnd(world, id)).phase).toBe('completed');
      await toTheEnd(calm, undisturbed[at]!.id);
      const results = await csv(world, id);
      expect(results.trimEnd().split('\n').length).toBeGreaterThan(submitted[at]!.runs);
      expect(results).toBe(await csv(calm, undisturbed[at]!.id));
      figure.equal += 1;
      expect((await world.foray.status(id)).runs).toMatchObject({ new: submitted[at]!.runs, reused: 0 });
    }
    const runs = submitted.reduce((sum, one) => sum + one.runs, 0);
    expect(world.executions().slice(before)).toEqual(Array.from({ length: runs }, () => 1));
    await worker.kill();
  },
);
