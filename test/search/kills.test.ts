import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SearchLog } from '../../src/campaign/search/log.ts';
import { Stream } from '../../src/search/methods/stream.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { isFull, report, seeds } from '../support/seeds.ts';
import { until } from '../support/until.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker.ts';
import { startWorld, type World } from '../support/world.ts';

/** A search whose worker is killed again and again asks what it would have asked, and runs nothing twice. */

const observed = fileURLToPath(new URL('../../examples/boarding-school-flu/observed.csv', import.meta.url));
const KILLS = isFull ? 10 : 3;
const POINTS = 24;

let world: World;
let worker: WorkerProcess;

beforeAll(async () => {
  world = await startWorld();
  worker = startWorkerProcess(world.settings);
  await worker.ready;
});
afterAll(async () => {
  await worker.kill();
  await world.close();
});

const definition = (seed: number) => ({
  file: 'flu.yaml',
  text: `
campaign: flu
model: { name: Epidemic }
inputs: { Population: 763, Stochastic: true }
files: { Observed cases: ${JSON.stringify(observed)} }
outputs: [Fit error]
search:
  minimize: Fit error
  over:
    Contact rate: { min: 1.2, max: 2.2, digits: 3 }
    Recovery rate: { min: 0.3, max: 0.6, digits: 3 }
  method: gp
  parallel: 4
  stop: { points: ${POINTS} }
  confirm: { best: 3, replications: 4, indifference: 20, report: 4 }
replications: 2
seed: ${seed}
`,
});

function logOf(id: string): Promise<SearchLog> {
  return world.foray['store'].searchLog(id);
}

test.each(seeds(1, 5))(
  'kill -9 of the worker changes nothing in the log of a search (seed %i)',
  async (seed) => {
    const [killed, undisturbed] = [`killed-${seed}`, `undisturbed-${seed}`];
    const moments = new Stream(seed, 'kills');
    await world.foray.submit(definition(seed), { id: killed });
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const asked = Math.floor((POINTS * (kill - moments.uniform())) / KILLS);
      await until(`${asked} points are asked`, async () => (await logOf(killed)).asks.length >= asked);
      await worker.kill();
      worker = startWorkerProcess(world.settings);
      await worker.ready;
    }
    expect((await toTheEnd(world, killed)).phase).toBe('completed');
    expect(world.executions().every((times) => times === 1)).toBe(true);
    // the same search with nobody in its way finds all of its runs there, as it asks for the same
    await world.foray.submit(definition(seed), { id: undisturbed });
    const { phase, runs } = await toTheEnd(world, undisturbed);
    expect(phase).toBe('completed');
    expect(runs).toMatchObject({ new: 0, failed: 0 });
    expect(await logOf(killed)).toEqual(await logOf(undisturbed));
    report(
      `search, seed ${seed}: ${KILLS} kills of the worker, ${runs.done} runs, each executed once, the log as undisturbed`,
    );
  },
);
