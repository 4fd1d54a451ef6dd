import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { seeded } from '../../bench/scheduler/durations.ts';
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
 * A service that answers 30% of all requests with 429 and 10% with a 5xx: no request comes before its Retry-After ends,
 * and the number of requests is at most a tenth above what the faults make necessary.
 */

const THROTTLED = 0.3;
const BROKEN = 0.1;
const MOST_FOR_NOTHING = 1.1;
/** A request sent before an answer could be read does not count as too early: the time that reading may take, ms. */
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
      `${figure.broken} with 5xx: ${figure.early} before Retry-After allowed; ` +
      `${figure.ratios.map((ratio) => ratio.toFixed(2)).join(', ')} times what the rate forces`,
  );
});

/** Random faults, with Retry-After as a number of seconds or as a date. */
function faults(random: () => number): () => Fault {
  return () => {
    const chance = random();
    if (chance < THROTTLED) {
      const seconds = 1 + Math.floor(random() * LONGEST_RETRY_AFTER);
      // a date has no milliseconds: half a second more, so it is never in the past
      const header =
        random() < 0.5 ? String(seconds) : new Date(Date.now() + seconds * 1_000 + 500).toUTCString();
      return { kind: 'answer', status: 429, headers: { 'retry-after': header } };
    }
    if (chance < THROTTLED + BROKEN) return { kind: 'answer', status: 500 + Math.floor(random() * 4) };
    return pass();
  };
}

/** The requests of one campaign, from its submit to its end. */
async function campaign(first: number, plan: () => Fault): Promise<Recorded[]> {
  const { id } = await world.foray.submit(rehearsal({ count: RUNS, first, seconds: 0 }));
  front.plan = plan;
  const from = front.recorded.length;
  const { phase, runs } = await toTheEnd(world, id);
  front.plan = pass;
  expect([phase, runs]).toMatchObject(['completed', { total: RUNS, done: RUNS, new: RUNS }]);
  return front.recorded.slice(from);
}

/** When a 429 allows the next request, ms since the epoch. */
function allowedAt({ fault, answeredAt }: Recorded): number {
  const header = (fault.kind === 'answer' && fault.headers?.['retry-after']) || '0';
  return /^\d+$/.test(header) ? answeredAt + Number(header) * 1_000 : Date.parse(header);
}

/** Requests that came although an earlier 429, which had been read by then, forbade them. */
function early(recorded: Recorded[]): Recorded[] {
  const throttled = recorded.filter(({ status }) => status === 429);
  return recorded.filter(({ at }) =>
    throttled.some((one) => at > one.answeredAt + UNDER_WAY_MS && at < allowedAt(one)),
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
    // computed from the actual faults: in a few hundred requests their share differs by some hundredths
    const forced = calm.length / (1 - (throttled + broken) / recorded.length);
    figure.requests += recorded.length;
    figure.throttled += throttled;
    figure.broken += broken;
    figure.early += early(recorded).length;
    figure.ratios.push(recorded.length / forced);

    // there were enough faults, otherwise the test proves nothing
    expect(throttled).toBeGreaterThan(0.2 * recorded.length);
    expect(broken).toBeGreaterThan(0.05 * recorded.length);
    expect(early(recorded).map(({ at, method, path }) => [at, method, path])).toEqual([]);
    expect(recorded.length).toBeLessThanOrEqual(MOST_FOR_NOTHING * forced);
  },
  300_000,
);
