import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { seeded } from '../support/durations.ts';
import { Foray, type Settings } from '../../src/client/index.ts';
import { isForayError } from '../../src/errors.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { isFull, report, seeds } from '../support/seeds.ts';
import { type TemporalProcess, temporalProcess } from '../support/temporal.ts';
import { until } from '../support/until.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker.ts';
import { executionsIn, KEY, rehearsal } from '../support/world.ts';
import { REHEARSAL } from '../service/fixed.ts';

/**
 * Temporal is killed with SIGKILL while campaigns are submitted and run. Every campaign whose submission was
 * acknowledged completes, and none of its runs is executed twice.
 */

const KILLS = isFull ? 8 : 2;

let folder: string;
let temporal: TemporalProcess;
let service: RunningService;
let settings: Settings;
let foray: Foray;
let worker: WorkerProcess;
const figure = { kills: 0, acknowledged: 0, refused: 0, completed: 0 };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'foray-test-'));
  temporal = await temporalProcess(join(folder, 'temporal.db'));
  await temporal.start();
  service = await startService({
    dataDir: join(folder, 'service'),
    modelDirs: [REHEARSAL],
    executors: 2,
    apiKey: KEY,
  });
  settings = {
    service: { url: service.url, key: KEY },
    store: `sqlite:${join(folder, 'store.db')}`,
    taskQueue: 'foray',
    owner: 'somebody',
    temporal: { connectionOptions: { address: temporal.address }, namespace: 'default' },
    webUi: 'http://127.0.0.1:8233',
  };
  foray = await Foray.open(settings);
  worker = startWorkerProcess(settings);
  await worker.ready;
});
afterAll(async () => {
  await worker.kill();
  await foray.close();
  await service.close();
  await temporal.kill();
  rmSync(folder, { recursive: true, force: true });
  report(
    `Temporal killed ${figure.kills} times: of ${figure.acknowledged} acknowledged campaigns ${figure.completed} ` +
      `completed, none lost or doubled; ${figure.refused} submissions refused meanwhile, and then repeated`,
  );
});

async function killer(random: () => number): Promise<void> {
  for (let kill = 0; kill < KILLS; kill += 1) {
    await delay(random() * 1_500);
    await temporal.kill();
    figure.kills += 1;
    await delay(random() * 1_000);
    await temporal.start();
  }
}

/** The number of workflow executions with each id. */
async function executionsOf(ids: string[]): Promise<Record<string, number>> {
  const connection = await Connection.connect({ address: temporal.address });
  const counts = Object.fromEntries(ids.map((id) => [id, 0]));
  for await (const { workflowId } of new Client({ connection }).workflow.list()) {
    if (workflowId in counts) counts[workflowId]! += 1;
  }
  await connection.close();
  return counts;
}

test.each(seeds(1, 5))(
  'campaigns complete when Temporal is killed at random moments, seed %i',
  async (seed) => {
    const random = seeded(seed);
    const before = executionsIn(join(folder, 'service')).length;
    const sizes = new Map<string, number>();
    const acknowledged = new Set<string>();
    let first = 10_000 * seed;

    const submit = async (id: string): Promise<boolean> => {
      try {
        await foray.submit(definitions.get(id)!, { id });
        return acknowledged.add(id).has(id);
      } catch (error) {
        // a refused submission throws an error of foray with a code of Temporal
        expect(isForayError(error) && error.code).toMatch(/^TEMPORAL_/);
        figure.refused += 1;
        return false;
      }
    };
    const definitions = new Map<string, ReturnType<typeof rehearsal>>();
    const submits: Promise<boolean>[] = [];
    let isKilling = true;
    const killing = killer(random).finally(() => (isKilling = false));
    while (isKilling) {
      const id = `seed-${seed}-${sizes.size + 1}`;
      const count = 1 + Math.floor(random() * 6);
      definitions.set(id, rehearsal({ count, first, seconds: 0.3 * random() }));
      sizes.set(id, count);
      first += count;
      // the submissions run in parallel, so a kill can interrupt some of them
      submits.push(submit(id));
      await delay(random() * 800);
    }
    await killing;
    await Promise.all(submits);
    // submits refused campaigns again, as a person would; some of them may have started in spite of the error
    for (const id of sizes.keys()) {
      await until(`${id} is acknowledged`, async () => acknowledged.has(id) || submit(id));
    }

    for (const [id, count] of sizes) {
      const { phase, runs } = await toTheEnd({ foray }, id);
      expect([phase, runs]).toMatchObject(['completed', { total: count, done: count, new: count }]);
      figure.completed += 1;
    }
    figure.acknowledged += acknowledged.size;
    expect(executionsIn(join(folder, 'service')).slice(before)).toEqual(
      Array.from({ length: first - 10_000 * seed }, () => 1),
    );
    const once = Object.fromEntries([...sizes.keys()].map((id) => [id, 1]));
    await until('Temporal lists each campaign once', async () => {
      const counts = await executionsOf([...sizes.keys()]);
      return Object.values(counts).every((count) => count > 0) && counts;
    }).then((counts) => expect(counts).toEqual(once));
    expect(worker.hasEnded()).toBe(false);
  },
);
