import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { seeded } from '../support/durations.ts';
import {
  type Fault,
  type FaultyService,
  pass,
  type Recorded,
  startFaultyService,
} from '../support/faulty-service.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { isFull, report, seeds } from '../support/seeds.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';

/**
 * A service answers 30% of all requests with 429 and 10% with a 5xx. No request comes before Retry-After allows it.
 * The faults make a number of requests necessary. The real number is larger by at most 10 % and two requests.
 */

const THROTTLED = 0.3;
const BROKEN = 0.1;
const MOST_FOR_NOTHING = 1.1;
const MORE = 2;
/**
 * The time in ms that reading an answer may take. A request within this time after a 429 does not count as too early,
 * because it may have been under way.
 */
const UNDER_WAY_MS = 250;
const RUNS = isFull ? 75 : 8;
const LONGEST_RETRY_AFTER = isFull ? 2 : 1;

let world: World;
let front: FaultyService;
const figure = { requests: 0, throttled: 0, broken: 0, early: 0, ratios: [] as number[], seconds: 0 };

beforeAll(async () => {
  world = await startWorld({
    through: async (service) => (front = await startFaultyService(service)),
  });
  await world.startWorker();
});
afterAll(async () => {
  await world.close();
  report(
    `throttling: ${figure.requests} requests in ${figure.seconds.toFixed(0)} s, ${figure.throttled} answered with 429 and ` +
      `${figure.broken} with 5xx: ${figure.early} before Retry-After allowed it; ` +
      `${figure.ratios.map((ratio) => ratio.toFixed(2)).join(', ')} times the necessary number`,
  );
});

/** For each 429, a time at which the client has read it and all earlier requests have arrived, in ms since the epoch. */
const readAt = new Map<Fault, number>();

async function noteRead(fault: Fault): Promise<void> {
  await delay(UNDER_WAY_MS);
  // after a stop of this process, timers come first, and then the requests that are under way
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  readAt.set(fault, Date.now());
}

/** Random faults, with Retry-After as a number of seconds or as a date. */
function faults(random: () => number): () => Fault {
  return () => {
    const chance = random();
    if (chance < THROTTLED) {
      const seconds = 1 + Math.floor(random() * LONGEST_RETRY_AFTER);
      // the date has no milliseconds; half a second more compensates for the rounding of the date
      const header =
        random() < 0.5 ? String(seconds) : new Date(Date.now() + seconds * 1_000 + 500).toUTCString();
      const fault: Fault = { kind: 'answer', status: 429, headers: { 'retry-after': header } };
      void noteRead(fault);
      return fault;
    }
    if (chance < THROTTLED + BROKEN) return { kind: 'answer', status: 500 + Math.floor(random() * 4) };
    return pass();
  };
}

/** Submits a campaign and waits for its end. Returns the requests to the service in this time. */
async function campaign(first: number, plan: () => Fault): Promise<Recorded[]> {
  const { id } = await world.foray.submit(rehearsal({ count: RUNS, first, seconds: 0 }));
  front.plan = plan;
  const from = front.recorded.length;
  const { phase, runs } = await toTheEnd(world, id);
  front.plan = pass;
  expect([phase, runs]).toMatchObject(['completed', { total: RUNS, done: RUNS, new: RUNS }]);
  return front.recorded.slice(from);
}

/**
 * The number of requests that does not depend on the speed of the machine: without answered polls of runs that have not
 * ended, and without answered questions about the service's health, which a longer campaign asks again.
 */
function timelessIn(recorded: Recorded[]): number {
  return recorded.filter(
    ({ path, status, answer }) =>
      status !== 200 ||
      (path !== '/health' && !(path.endsWith('/progress') && /^{"status":"(FRESH|RUNNING)"/.test(answer))),
  ).length;
}

/** The time at which a 429 allows the next request, in ms since the epoch. */
function allowedAt({ fault, answeredAt }: Recorded): number {
  const header = (fault.kind === 'answer' && fault.headers?.['retry-after']) || '0';
  return /^\d+$/.test(header) ? answeredAt + Number(header) * 1_000 : Date.parse(header);
}

/** Requests that came too early: the client had read a 429 that forbade them. */
function early(recorded: Recorded[]): Recorded[] {
  const throttled = recorded.filter(({ status }) => status === 429);
  return recorded.filter(({ at }) =>
    throttled.some((one) => at > (readAt.get(one.fault) ?? Infinity) && at < allowedAt(one)),
  );
}

test.each(seeds(1, 2))(
  'campaigns complete at a service that limits requests, seed %i',
  async (seed) => {
    const random = seeded(seed);
    const calm = await campaign(10_000 * seed, pass);
    const since = Date.now();
    const recorded = await campaign(10_000 * seed + 5_000, faults(random));
    figure.seconds += (Date.now() - since) / 1_000;
    const throttled = recorded.filter(({ status }) => status === 429).length;
    const broken = recorded.filter(({ status }) => status >= 500).length;
    // the actual share of faults differs from the expected share by some hundredths, so the test uses the actual share
    const timeless = timelessIn(recorded);
    const forced = timelessIn(calm) / (1 - (throttled + broken) / timeless);
    figure.requests += recorded.length;
    figure.throttled += throttled;
    figure.broken += broken;
    figure.early += early(recorded).length;
    figure.ratios.push(timeless / forced);

    // without enough faults, the test would prove nothing
    expect(throttled).toBeGreaterThan(0.2 * recorded.length);
    expect(broken).toBeGreaterThan(0.05 * recorded.length);
    expect(early(recorded).map(({ at, method, path }) => [at, method, path])).toEqual([]);
    expect(timeless).toBeLessThanOrEqual(MOST_FOR_NOTHING * forced + MORE);
  },
  300_000,
);
