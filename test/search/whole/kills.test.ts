import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SearchLog } from '../../../src/campaign/search/log.ts';
import { Stream } from '../../../src/campaign/sampling/stream.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { isFull, report, seeds } from '../../support/seeds.ts';
import { until } from '../../support/until.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { startWorkerProcess, type WorkerProcess } from '../../support/worker.ts';
import { executionsIn, startWorld, type World } from '../../support/world.ts';
import { flu, SALTELLI } from '../../sensitivity/flu.ts';
import { EPIDEMIC, INVENTORY } from '../../service/fixed.ts';
import { OBSERVED } from '../flu.ts';
import { KN, stock } from '../stock.ts';

/**
 * The worker or the model service of a campaign that finds its points is killed several times. The campaign asks for the
 * same points as without kills. After kills of the worker, each run was executed only once. After kills of the service,
 * each run exists only once.
 */

const KILLS = isFull ? 10 : 2;
const SERVICE_KILLS = isFull ? 10 : 1;
const POINTS = isFull ? 24 : 16;
/** The time limit of a test, ms. Temporal notices only after a while that a worker was killed. */
const LONGEST = 600_000;

let world: World;
let worker: WorkerProcess;

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC, INVENTORY] });
  worker = startWorkerProcess(world.settings);
  await worker.ready;
});
afterAll(async () => {
  await worker.kill();
  await world.close();
});

const definition = (seed: number, method: string) => ({
  file: join(import.meta.dirname, '../outside/flu.yaml'),
  text: `
campaign: flu
model: { name: Epidemic }
inputs: { Population: 763, Stochastic: true }
files: { Observed cases: ${JSON.stringify(OBSERVED)} }
outputs: [Fit error]
search:
  minimize: Fit error
  over:
    Contact rate: { min: 1.2, max: 2.2, digits: 3 }
    Recovery rate: { min: 0.3, max: 0.6, digits: 3 }
  method: ${method}
  parallel: 4
  stop: { points: ${POINTS} }
  confirm: { best: 3, replications: 4, indifference: ${isFull ? 20 : 200}, report: 4 }
replications: 2
seed: ${seed}
`,
});

function logOf(id: string, { foray } = world): Promise<SearchLog> {
  return foray['store'].searchLog(id);
}

/** Makes the store refuse each new ask of a search, or no longer. */
function refuseAsks(isRefused: boolean): void {
  const store = new DatabaseSync(join(world.folder, 'store.db'), { timeout: 60_000 });
  store.exec(
    isRefused
      ? `CREATE TRIGGER refuse_asks BEFORE INSERT ON asks BEGIN SELECT RAISE(ABORT, 'not before the kill'); END`
      : 'DROP TRIGGER refuse_asks',
  );
  store.close();
}

/** How often the definition of a search changes. */
const CHANGES = isFull ? 10 : 1;

const outside = '{ command: [python3, random_search.py], options: { generation: 6 } }';

/** Campaigns at once that find their points or their replications, by name. */
const campaigns = (seed: number) =>
  Object.entries({
    gp: definition(seed, 'gp'),
    outside: definition(seed, outside),
    selection: stock({ select: KN, rest: `seed: ${seed}` }),
    growing: flu(SALTELLI('{ min: 8, max: 4096, width: 2, output: Attack rate }')),
  });

test.each(seeds(1, 5))(
  'kill -9 of the worker changes nothing in searches, a selection and a growing design, seed %d',
  async (seed) => {
    const submitted = (state: string, concurrency: string): Promise<string[]> =>
      Promise.all(
        campaigns(seed).map(async ([name, { file, text }]) => {
          const id = `${state}-${seed}-${name}`;
          await world.foray.submit({ file, text: `${text}\n${concurrency}` }, { id });
          return id;
        }),
      );
    const moments = new Stream(seed, 'kills');
    const killed = await submitted('killed', '');
    const [gp, optimiser, selection, growing] = killed as [string, string, string, string];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const asked = Math.floor((POINTS * (kill - moments.uniform())) / KILLS);
      await until(`the searches have asked for ${asked} points`, async () => {
        const logs = await Promise.all([gp, optimiser].map((id) => logOf(id)));
        return logs.every(({ asks }) => asks.length >= asked);
      });
      // the first 60 runs of the selection and the first 32 of the design do not depend on results
      if (kill === 1) await untilMore(selection, 60);
      if (kill === 2) await untilMore(growing, 32);
      await worker.kill();
      worker = startWorkerProcess(world.settings);
      await worker.ready;
    }
    const found = async (id: string) => {
      const { phase, strategy, runs, points } = await toTheEnd(world, id);
      expect({ id, phase, failed: runs.failed }).toEqual({ id, phase: 'completed', failed: 0 });
      return { strategy, points, total: runs.total, log: await logOf(id) };
    };
    const all = await Promise.all(killed.map(found));
    expect(world.executions().every((times) => times === 1)).toBe(true);
    // without kills and with another concurrency, all runs are found at the service, because they are the same
    const undisturbed = await submitted('undisturbed', 'concurrency: 8');
    for (const [at, id] of undisturbed.entries()) {
      expect(await found(id)).toEqual(all[at]);
      expect((await world.foray.status(id)).runs.new).toBe(0);
      report(
        `${id}: ${KILLS} kills of the worker, ${all[at]!.total} runs; each was executed once; all is as without kills`,
      );
    }
  },
  LONGEST,
);

const untilMore = (id: string, runs: number): Promise<boolean> =>
  until(`${id} has more than ${runs} runs`, async () => (await world.foray['store'].counts(id)).total > runs);

test.each(seeds(1, 5))(
  'kill -9 of the worker between a change of a search and its next ask changes nothing in the log, seed %d',
  async (seed) => {
    const moments = new Stream(seed, 'changes');
    // after each change, the ended search may ask for more points, within other bounds
    const changes = Array.from({ length: CHANGES }, (_, at) => {
      const max = (2 + moments.uniform()).toFixed(3);
      return {
        ...definition(seed, 'cma'),
        text: definition(seed, 'cma')
          .text.replace('max: 2.2', `max: ${max}`)
          .replace(`points: ${POINTS}`, `points: ${POINTS + 6 * (at + 1)}`)
          .replace(/ *confirm:.*\n/, ''),
      };
    });
    const first = { ...changes[0]!, text: definition(seed, 'cma').text.replace(/ *confirm:.*\n/, '') };
    const changed = async (id: string): Promise<number> =>
      (await logOf(id)).events.filter(({ kind }) => kind === 'continued' || kind === 'restarted').length;
    const [killed, undisturbed] = [`changed-killed-${seed}`, `changed-undisturbed-${seed}`] as const;
    for (const id of [killed, undisturbed]) {
      await world.foray.submit(first, { id });
      expect((await toTheEnd(world, id)).phase).toBe('completed');
      for (const [at, change] of changes.entries()) {
        const { asks } = await logOf(id);
        // the worker cannot be faster than the kill
        if (id === killed) refuseAsks(true);
        const applied = world.foray.apply(id, change);
        if (id === killed) {
          try {
            await until('the log has the change', async () => (await changed(id)) > at);
            await worker.kill();
            expect((await logOf(id)).asks).toHaveLength(asks.length);
          } finally {
            refuseAsks(false);
          }
          worker = startWorkerProcess(world.settings);
          await worker.ready;
        }
        await applied;
        expect((await toTheEnd(world, id)).phase).toBe('completed');
      }
    }
    expect(await logOf(killed)).toEqual(await logOf(undisturbed));
    expect(world.executions().every((times) => times === 1)).toBe(true);
    report(
      `search, seed ${seed}: ${CHANGES} kills of the worker between a change and the next ask; the log equals the log without kills`,
    );
  },
  LONGEST,
);

test.each(seeds(1, 5))(
  'kill -9 of the model service changes nothing in the log of a search, seed %d',
  async (seed) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'foray-killed-service-'));
    let service: ServiceProcess | undefined;
    const beside = await startWorld({
      models: [EPIDEMIC],
      beside: world,
      through: async () => (service = await startServiceProcess(dataDir)),
    });
    try {
      await beside.startWorker();
      const [killed, undisturbed] = [`service-killed-${seed}`, `service-undisturbed-${seed}`] as const;
      const moments = new Stream(seed, 'kills of the service');
      await beside.foray.submit(definition(seed, 'gp'), { id: killed });
      for (let kill = 1; kill <= SERVICE_KILLS; kill += 1) {
        const asked = Math.floor((POINTS * (kill - moments.uniform())) / SERVICE_KILLS);
        await until(
          `the search has asked for ${asked} points`,
          async () => (await logOf(killed, beside)).asks.length >= asked,
        );
        await service!.killAndRestart();
      }
      const { phase, runs } = await toTheEnd(beside, killed);
      expect([phase, runs.failed]).toEqual(['completed', 0]);
      // a run that was executing when the service died is executed again under the same id
      expect(executionsIn(dataDir)).toHaveLength(runs.total);
      await beside.foray.submit(definition(seed, 'gp'), { id: undisturbed });
      expect(await toTheEnd(beside, undisturbed)).toMatchObject({ phase: 'completed', runs: { new: 0 } });
      expect(await logOf(killed, beside)).toEqual(await logOf(undisturbed, beside));
      report(
        `search, seed ${seed}: ${SERVICE_KILLS} kills of the model service, ${runs.done} runs; each run exists once; the log equals the log without kills`,
      );
    } finally {
      await beside.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  LONGEST,
);
