import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toTheEnd } from '../support/campaigns.ts';
import fc from '../support/fast-check.ts';
import { seeded } from '../support/durations.ts';
import type { RequestInputItem } from '../../src/api/index.ts';
import { CloudClient, isCloudError } from '../../src/cloud/index.ts';
import {
  type FaultyService,
  isRunRequest,
  pass,
  type Recorded,
  startFaultyService,
} from '../support/faulty-service.ts';
import { isFull, report, seeds } from '../support/seeds.ts';
import { until } from '../support/until.ts';
import { KEY, rehearsal, startWorld, type World } from '../support/world.ts';

/**
 * Answers are lost after the service has committed a run, or the same request comes many times at once in different
 * spellings. In each case, the service has one run and executes this run once.
 */

const RUNS = isFull ? 60 : 30;
const AT_ONCE = 100;

let world: World;
let front: FaultyService;
const figure = { campaigns: 0, runs: 0, lost: 0, identical: 0 };

beforeAll(async () => {
  world = await startWorld({
    through: async (service) => (front = await startFaultyService(service)),
  });
  await world.startWorker();
});
afterAll(async () => {
  await world.close();
  report(
    `lost answers: ${figure.lost} in ${figure.campaigns} campaigns, ${figure.runs} runs each executed once; ` +
      `${figure.identical} times ${AT_ONCE} identical requests at once: one run, one execution each`,
  );
});

/** Loses a share of the answers, and always the answer to the first request of a run. */
function lose(random: () => number, share: number): void {
  let isFirstLost = false;
  front.plan = (asked) => {
    const isFirst = !isFirstLost && isRunRequest(asked);
    isFirstLost ||= isFirst;
    return random() < share || isFirst ? { kind: 'lose' } : pass();
  };
}

function lostSince(from: number): Recorded[] {
  return front.recorded.slice(from).filter(({ fault }) => fault.kind === 'lose');
}

test.each(seeds(1, 10))(
  'a campaign completes although answers of any kind are lost, seed %i',
  async (seed) => {
    const random = seeded(seed);
    const before = world.executions().length;
    const from = front.recorded.length;
    const seconds = random() < 0.5 ? 0 : 0.3;
    const { id } = await world.foray.submit(rehearsal({ count: RUNS, first: 1_000 * seed, seconds }));
    lose(random, 0.1 + 0.4 * random());
    const { phase } = await toTheEnd(world, id);
    expect(phase).toBe('completed');
    front.plan = pass;

    expect((await world.foray.status(id)).runs).toMatchObject({ total: RUNS, new: RUNS, reused: 0 });
    const rows = await world.rows(id);
    expect(new Set(rows.map(({ runId }) => runId)).size).toBe(RUNS);
    expect(world.executions().slice(before)).toEqual(Array.from({ length: RUNS }, () => 1));
    const lost = lostSince(from);
    expect(lost.filter(isRunRequest)).not.toEqual([]);
    figure.campaigns += 1;
    figure.runs += RUNS;
    figure.lost += lost.length;
  },
);

test('a campaign polls a run again if the results of the run are lost ten times, and no activity fails', async () => {
  let lost = 0;
  front.plan = ({ path }) => (path.includes('/results/') && lost++ < 10 ? { kind: 'lose' } : pass());
  const { id } = await world.foray.submit(rehearsal({ count: 1, first: 900_000, seconds: 0 }));
  const { phase } = await toTheEnd(world, id);
  expect(phase).toBe('completed');
  front.plan = pass;
  expect(lost).toBeGreaterThan(10);
  const { events } = await world.environment.client.workflow.getHandle(id).fetchHistory();
  // a worker that stops for 5 s does not report in time, so Temporal starts its activity again
  const failures = events!
    .map(({ activityTaskStartedEventAttributes: started }) => started?.lastFailure)
    .filter((failure) => failure && !failure.timeoutFailureInfo);
  expect(failures).toEqual([]);
});

/** Different spellings of one number. */
function spellings(value: number): fc.Arbitrary<string | number> {
  const [whole, exponent] = [String(value), value.toExponential()];
  return fc.constantFrom<string | number>(value, whole, `${whole}.0`, `+${whole}`, ` ${whole} `, exponent);
}

/**
 * Different spellings of one request. They vary values, names and order, and may add inputs with their default values.
 */
function requests(value: number): fc.Arbitrary<RequestInputItem[]> {
  const item = (name: string, number: number): fc.Arbitrary<RequestInputItem> =>
    fc.record({ name: fc.constantFrom(name, name.toUpperCase(), ` ${name} `), value: spellings(number) });
  const defaults = fc.subarray<RequestInputItem>([
    { name: 'Fail', value: false },
    { name: '{RANDOM_SEED}', value: '1' },
  ]);
  return fc
    .tuple(item('Value', value), item('Seconds', 0), defaults)
    .chain(([one, other, rest]) =>
      fc.shuffledSubarray([one, other, ...rest], { minLength: 2 + rest.length, maxLength: 2 + rest.length }),
    );
}

test.each(seeds(1, 50))(
  `${AT_ONCE} requests for the same run, at once and in different spellings, give one run, seed %i`,
  async (seed) => {
    const random = seeded(seed);
    const cloud = new CloudClient({ url: front.url, key: KEY });
    const model = await cloud.getModelByName('Rehearsal');
    const version = model.modelVersions.at(-1)!;
    const before = world.executions().length;
    const from = front.recorded.length;
    // the campaigns of the other tests have smaller values
    const value = 1_000_000 + seed;
    const spelled = fc.sample(requests(value), { numRuns: AT_ONCE, seed });
    lose(random, 0.3);
    const runs = await Promise.all(
      spelled.map(async (inputs) => {
        for (;;) {
          try {
            return await cloud.requestRun(version, { experimentType: 'SIMULATION', inputs });
          } catch (error) {
            if (!isCloudError(error) || error.kind !== 'unreachable') throw error;
          }
        }
      }),
    );
    front.plan = pass;

    expect(new Set(spelled.map((inputs) => JSON.stringify(inputs))).size).toBeGreaterThan(AT_ONCE / 4);
    expect(lostSince(from)).not.toEqual([]);
    const [id] = [...new Set(runs.map((run) => run.id))];
    expect(runs.filter((run) => run.id !== id)).toEqual([]);
    await until(
      'the run has completed',
      async () => (await cloud.getProgress(version, id!)).status === 'COMPLETED',
    );
    expect(world.executions().slice(before)).toEqual([1]);
    figure.identical += 1;
  },
);
