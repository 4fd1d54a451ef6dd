import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { seeded } from '../support/durations.ts';
import type { CampaignStatus } from '../../src/client/index.ts';
import { cancelOpen, toTheEnd } from '../support/campaigns.ts';
import { type FaultyService, isRunRequest, pass, startFaultyService } from '../support/faulty-service.ts';
import { gated, writeGated } from '../support/gated.ts';
import { isFull, report, seeds } from '../support/seeds.ts';
import { until } from '../support/until.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';
import { REHEARSAL } from '../service/fixed.ts';

/**
 * Checks a promise of docs/guides/operations.md: a cancellation stops the campaign's own runs, at whatever moment
 * somebody cancels the campaign.
 */

/** Number of campaigns in parallel. */
const AT_ONCE = isFull ? 6 : 2;
/** How many runs a campaign may have beyond three. */
const MOST = isFull ? 20 : 9;
/**
 * Makes a campaign request up to 30 runs at once. By default, a campaign requests only enough runs to keep the service
 * busy.
 */
const ALL_AT_ONCE = 'concurrency: 30';
/**
 * The time in ms after which no run of a cancelled campaign may be open, except runs that other campaigns wait for. The
 * time begins when the new worker is ready. Long runs take longer, so they end in time only if they are stopped.
 */
const STOPPED_MS = 120_000;
/** The duration of runs that do not end during a test unless they are stopped, s. */
const LONG = 600;

let models: string;
let world: World;
let front: FaultyService;
const figure = { plain: 0, held: 0, killed: 0, frozen: 0, kept: 0, slowest: 0 };

beforeAll(async () => {
  models = mkdtempSync(join(tmpdir(), 'foray-gated-'));
  writeGated(models);
  world = await startWorld({
    models: [REHEARSAL, models],
    through: async (service) => (front = await startFaultyService(service)),
  });
});
afterAll(async () => {
  await world.close();
  rmSync(models, { recursive: true, force: true });
  report(
    `cancelled at ${figure.plain} moments, ${figure.held} times between commit and answer, ${figure.killed} times while the ` +
      `worker was killed, ${figure.frozen} times while it was frozen: no run of these campaigns continued; a new worker needed at most ${(figure.slowest / 1_000).toFixed(1)} s ` +
      `for this; ${figure.kept} runs that other campaigns waited for continued`,
  );
});

afterEach(async () => {
  // after a failed test, a plan or long runs would still be there
  front.plan = pass;
  await cancelOpen(world);
});

const over = (id: string): Promise<CampaignStatus> => toTheEnd(world, id);

/** Cancels a campaign, and returns the phase that it must reach. A campaign of short runs may have completed before. */
async function cancelUnlessOver(id: string): Promise<'cancelled' | 'completed'> {
  try {
    await world.foray.cancel(id);
    return 'cancelled';
  } catch (error) {
    expect(error).toMatchObject({ code: 'CAMPAIGN_CLOSED' });
    return 'completed';
  }
}

/**
 * Checks at the service that no run of the campaign is running or queued, and that the store has every completed run.
 */
async function leftNothing(id: string, status: CampaignStatus): Promise<void> {
  const statuses = await world.statusesAtService(id);
  expect(statuses).not.toHaveProperty('FRESH');
  expect(statuses).not.toHaveProperty('RUNNING');
  // the store keeps finished results: it has all runs that completed at the service while the campaign waited for them
  expect(status.runs).toMatchObject({ running: 0, queued: 0, failed: 0 });
  expect(status.runs.done).toBe(statuses.COMPLETED ?? 0);
}

describe('with a worker', () => {
  let stopWorker: () => Promise<void>;
  beforeAll(async () => {
    stopWorker = await world.startWorker();
  });
  afterAll(() => stopWorker());

  test.each(seeds(1, 17))(
    'a campaign that is cancelled at a random moment leaves no run running at the service, seed %i',
    async (seed) => {
      const random = seeded(seed);
      const campaigns = Array.from({ length: AT_ONCE }, (_, at) => ({
        first: 1_000 * seed + 100 * at,
        count: 1 + Math.floor(random() * (isFull ? 40 : 15)),
        seconds: random() < 0.5 ? 0.3 : LONG,
        more: random() < 0.5 ? `concurrency: ${1 + Math.floor(random() * 20)}` : '',
        moment: random() * 1_500,
      }));
      await Promise.all(
        campaigns.map(async ({ moment, ...campaign }) => {
          const { id } = await world.foray.submit(rehearsal(campaign));
          // the seed chooses the moment, and so decides what the campaign does when it is cancelled
          await delay(moment);
          const phase = await cancelUnlessOver(id);
          const status = await over(id);
          if (phase === 'completed') expect(status.phase).toBe('completed');
          await leftNothing(id, status);
          figure.plain += 1;
        }),
      );
    },
  );

  test.each(seeds(2, 50))(
    'a cancellation after the service has stored a run and before the answer arrives leaves no run running, seed %i',
    async (seed) => {
      const random = seeded(seed);
      // in one of four seeds, the held request is the only request of its activity, so the activity fails with the
      // request
      const count = seed % 4 === 1 ? 1 : 1 + Math.floor(random() * 20);
      const which = Math.floor(random() * count);
      // the answer comes or is lost, either shortly after the cancellation or when no client waits for it any more
      const end = count > 1 && random() < 0.5 ? 'deliver' : 'lose';
      const moment = random() < 0.8 ? random() * 1_500 : 6_000;
      const held = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<'deliver' | 'lose'>();
      let requests = 0;
      front.plan = (asked) => {
        if (!isRunRequest(asked) || (requests += 1) - 1 !== which) return pass();
        held.resolve();
        return { kind: 'hold', until: answer.promise };
      };
      const first = 500_000 + 1_000 * seed;
      const { id } = await world.foray.submit(rehearsal({ count, first, seconds: LONG, more: ALL_AT_ONCE }));
      await held.promise;
      await until('the service has committed the run', async () => {
        const { FRESH = 0, RUNNING = 0 } = await world.statusesAtService(id);
        return FRESH + RUNNING > which;
      });
      await world.foray.cancel(id);
      await delay(moment);
      answer.resolve(end);
      front.plan = pass;
      const status = await over(id);
      expect(status.phase).toBe('cancelled');
      await leftNothing(id, status);
      figure.held += 1;
    },
  );

  test('a campaign requests its run again if the cancellation of another campaign stops the run before the answer arrives', async () => {
    const answer = Promise.withResolvers<'deliver'>();
    let requests = 0;
    front.plan = (asked) => {
      if (!isRunRequest(asked)) return pass();
      requests += 1;
      return requests === 1 ? { kind: 'hold', until: answer.promise } : pass();
    };
    const gate = join(world.folder, 'gate');
    const same = gated({ count: 1, gate });
    const first = await world.foray.submit(same, { id: 'waits' });
    await until(
      'the service executes the run',
      async () => (await world.statusesAtService(first.id)).RUNNING === 1,
    );
    const other = await world.foray.submit(same, { id: 'is-cancelled' });
    await until(
      'the other campaign waits for the run, too',
      async () => (await world.foray['store'].counts(other.id)).running === 1,
    );
    await world.foray.cancel(other.id);
    expect(await over(other.id)).toMatchObject({ phase: 'cancelled' });
    answer.resolve('deliver');
    front.plan = pass;
    writeFileSync(gate, '');
    expect(await over(first.id)).toMatchObject({ phase: 'completed', runs: { done: 1, failed: 0 } });
  });

  test('a campaign that is stopped while the service does not answer requests keeps the runs that the service has finished', async () => {
    const lost: string[] = [];
    // the first requests get no answer, so the service looks overloaded and the campaign sends no other requests
    front.plan = (asked) => {
      if (!isRunRequest(asked)) return pass();
      lost.push(asked.bodyHash);
      return lost.length <= 3 ? { kind: 'lose' } : pass();
    };
    const { id } = await world.foray.submit(
      rehearsal({ count: 12, first: 900_000, seconds: 0.2, more: 'concurrency: 6' }),
    );
    await until('three requests got no answer', () => lost.length >= 3);
    await world.foray.steer(id, 'stop');
    const status = await over(id);
    front.plan = pass;
    await leftNothing(id, status);
  });
});

describe('while the worker is killed', () => {
  let worker: WorkerProcess | undefined;
  afterEach(() => worker?.kill());

  const isOpen = (status: string): boolean => status === 'FRESH' || status === 'RUNNING';

  test.each(seeds(1, 8))(
    'a cancellation at a random moment does not stop runs that other campaigns wait for, seed %i',
    async (seed) => {
      const random = seeded(seed);
      const pairs = Array.from({ length: AT_ONCE }, (_, at) => {
        const count = 3 + Math.floor(random() * MOST);
        return {
          first: 800_000 + 1_000 * seed + 100 * at,
          count,
          /** How many of the first runs another campaign also waits for. */
          shared: Math.ceil(count / 3),
          seconds: at > 0 && random() < 0.5 ? 1 : LONG,
          /** Whether the cancelled campaign is submitted first, and so starts the shared runs. */
          isFirst: at === 0 || random() < 0.5,
          cancelAt: random() * 1_500,
          id: '',
          other: '',
          phase: '',
        };
      });
      worker = startWorkerProcess(world.settings);
      await worker.ready;
      const submit = async (pair: (typeof pairs)[number], count: number): Promise<string> => {
        const { id } = await world.foray.submit(rehearsal({ ...pair, count, more: ALL_AT_ONCE }));
        await until(`${id} has requested all runs`, async () => {
          const { total, waiting } = await world.foray['store'].counts(id);
          return total === count && waiting === 0;
        });
        return id;
      };
      await Promise.all(
        pairs.map(async (pair) => {
          if (pair.isFirst) pair.id = await submit(pair, pair.count);
          pair.other = await submit(pair, pair.shared);
          if (!pair.isFirst) pair.id = await submit(pair, pair.count);
        }),
      );

      const killAt = random() * 1_500;
      await Promise.all([
        delay(killAt).then(() => worker!.kill()),
        ...pairs.map(async (pair) => {
          await delay(pair.cancelAt);
          pair.phase = await cancelUnlessOver(pair.id);
        }),
      ]);
      await delay(random() * 3_000);
      worker = startWorkerProcess(world.settings);
      await worker.ready;
      const back = Date.now();
      for (const { id, shared } of pairs) {
        await until(`no run that only ${id} waits for is open`, async () => {
          const own = (await world.statusesInOrder(id)).slice(shared);
          return !own.some(isOpen);
        });
      }
      const ms = Date.now() - back;
      figure.slowest = Math.max(figure.slowest, ms);
      expect(ms).toBeLessThan(STOPPED_MS);

      // pairs with long runs come first, because these runs delay the others
      for (const { id, other, shared, seconds, phase } of pairs.sort((a, b) => b.seconds - a.seconds)) {
        const status = await over(id);
        if (phase === 'completed') expect(status.phase).toBe('completed');
        expect(status.runs).toMatchObject({ running: 0, queued: 0, failed: 0 });
        if (seconds === 1) {
          const { runs } = await over(other);
          expect(runs).toMatchObject({ total: shared, done: shared });
        } else {
          // the test does not wait for long runs; they continue until the last campaign that has them is
          // cancelled
          expect((await world.statusesInOrder(other)).filter((one) => !isOpen(one))).toEqual([]);
          await world.foray.cancel(other);
          await leftNothing(other, await over(other));
        }
        figure.kept += shared;
        figure.killed += 1;
      }
    },
  );
});

describe('while the worker is frozen', () => {
  let worker: WorkerProcess | undefined;
  afterEach(() => worker?.kill());

  test.each(seeds(1, 8))(
    'a campaign is cancelled and deleted, and stays so when the worker goes on, seed %i',
    async (seed) => {
      const random = seeded(seed);
      worker = startWorkerProcess(world.settings);
      await worker.ready;
      const { id } = await world.foray.submit(
        rehearsal({
          count: 3 + Math.floor(random() * MOST),
          first: 1_200_000 + 1_000 * seed,
          seconds: LONG,
          more: ALL_AT_ONCE,
        }),
      );
      await until(`${id} has requested all runs`, async () => {
        const { total, waiting } = await world.foray['store'].counts(id);
        return total > 0 && waiting === 0;
      });
      await delay(1_000 + random() * 1_500);
      worker.child.kill('SIGSTOP');
      try {
        await world.foray.cancel(id, 'it hangs');
      } catch (error) {
        // a worker that freezes within a transaction keeps the file of the store locked until its process ends
        expect(error).toMatchObject({
          code: 'STORE_UNUSABLE',
          hint: expect.stringContaining('end its process'),
        });
        await worker.kill();
        await world.foray.cancel(id, 'it hangs');
        worker = startWorkerProcess(world.settings);
      }
      const status = await world.foray.status(id);
      expect(status.phase).toBe('cancelled');
      expect(status.note).toContain('it hangs; no worker answered');
      await leftNothing(id, status);
      const states = await world.statusesAtService(id);
      await world.foray.delete(id);

      worker.child.kill('SIGCONT');
      const next = await world.foray.submit(rehearsal({ count: 2, first: 1_300_000 + 1_000 * seed }));
      expect((await over(next.id)).phase).toBe('completed');
      await expect(world.foray.status(id)).rejects.toMatchObject({ code: 'UNKNOWN_CAMPAIGN' });
      expect(Object.keys(states)).toEqual(['STOPPED']);
      figure.frozen += 1;
    },
  );
});
