import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import type { AttemptPolicy } from '../../src/campaign/types.ts';
import { nextAttemptIn } from '../../src/campaign/failures.ts';
import {
  decide,
  emptyOutcomes,
  inFlight,
  isFinished,
  needsWork,
  newSchedule,
  type Outcomes,
  applyOutcomes,
  type Schedule,
  startOver,
  addPage,
  wakeIn,
  windowOf,
} from '../../src/campaign/scheduler/index.ts';
import { foray } from '../../bench/scheduler/drivers.ts';
import { draw, seeded } from '../../bench/scheduler/durations.ts';
import { listScheduling } from '../../bench/scheduler/service.ts';
import { type Scenario, simulate, type Simulated } from './simulation.ts';

const SHORTEST_TICK = 1_000;
/** A limit that few runs reach. */
const MOST_FLIGHTS = 200;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const none = { new: [], reused: [], failed: [], queued: [], running: [], later: [], again: [] };

const anyRun = fc.record({
  duration: fc.oneof(fc.constant(0), fc.nat(5_000), fc.nat(600_000)),
  ends: fc.constantFrom('new', 'new', 'new', 'reused', 'failed'),
  fails: fc.constantFrom(0, 0, 0, 0, 1, 2, 5),
});
const anyBackoff = fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 8_000_000 }));
const anyAttempts: fc.Arbitrary<AttemptPolicy> = fc.record({
  count: fc.constantFrom(1, 1, 2, 3, 4),
  backoff: anyBackoff,
  seed: fc.constantFrom('same', 'new'),
});
const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  // without a size, an array has a dozen items at most
  runs: fc.array(anyRun, { minLength: 1, maxLength: 60, size: 'max' }),
  executors: fc.integer({ min: 1, max: 40 }),
  concurrency: fc.oneof(fc.constant('auto' as const), fc.integer({ min: 1, max: 50 })),
  // times are whole ms: of far shorter ticks it cannot be told what came first
  latency: fc.oneof(fc.constant(100), fc.integer({ min: 100, max: 8_000 })),
  troubles: fc.array(
    fc.record({
      tick: fc.nat(30),
      share: fc.constantFrom(0.1, 0.5, 1),
      retryAfter: fc.oneof(fc.constant(0), fc.nat(5_000), fc.nat(3_600_000)),
    }),
    { maxLength: 6 },
  ),
  attempts: anyAttempts,
  runTimeout: fc.oneof(fc.constant(null), fc.constant(null), fc.integer({ min: 1, max: 300_000 })),
});

function always(check: (simulated: Simulated, scenario: Scenario) => void): void {
  fc.assert(
    fc.property(anyScenario, (scenario) => check(simulate(scenario), scenario)),
    { numRuns: 80 },
  );
}

describe('whatever the service does', () => {
  test('every run finishes exactly once, and is not asked about any more', () => {
    always(({ ticks, schedule }, { runs }) => {
      expect(ticks.flatMap(({ finished }) => finished).toSorted((a, b) => a - b)).toEqual([...runs.keys()]);
      const over = new Set<number>();
      for (const { request, poll, finished } of ticks) {
        for (const seq of [...request, ...poll]) expect(over.has(seq)).toBe(false);
        for (const seq of finished) over.add(seq);
      }
      expect(isFinished(schedule)).toBe(true);
      expect(schedule).toMatchObject({ flights: [], again: [], next: runs.length });
    });
  });

  test('what is requested was not in flight, what is polled was, each once a tick', () => {
    always(({ ticks }) => {
      for (const { request, poll, flightsBefore } of ticks) {
        expect(new Set([...request, ...flightsBefore]).size).toBe(request.length + flightsBefore.length);
        expect(new Set(poll).size).toBe(poll.length);
        for (const seq of poll) expect(flightsBefore).toContain(seq);
      }
    });
  });

  test('the window is kept, and a concurrency that is a number is never exceeded', () => {
    always(({ ticks }, { concurrency }) => {
      for (const { request, flightsBefore, flightsAfter, window } of ticks) {
        const most = concurrency === 'auto' ? window : concurrency;
        if (request.length > 0) expect(flightsBefore.length + request.length).toBeLessThanOrEqual(most);
        if (concurrency !== 'auto') expect(flightsAfter).toBeLessThanOrEqual(concurrency);
      }
    });
  });

  test('a run that runs is polled a second apart at least, or a quarter of it when nothing is left to request', () => {
    always(({ ticks }) => {
      const askedAt = new Map<number, number>();
      const lastRequest = ticks.findLastIndex(({ request }) => request.length > 0);
      for (const [tick, { at, answeredAt, request, poll, running }] of ticks.entries()) {
        const least = tick > lastRequest ? SHORTEST_TICK / 4 : SHORTEST_TICK;
        // another attempt is another run
        for (const seq of request) askedAt.delete(seq);
        for (const seq of poll) {
          const last = askedAt.get(seq);
          if (last !== undefined) expect(at - last).toBeGreaterThanOrEqual(least);
        }
        for (const seq of running) askedAt.set(seq, answeredAt);
      }
    });
  });

  test('what got no answer waits a second at least; nothing is asked before the service allows it', () => {
    always(({ ticks }) => {
      let quietUntil = 0;
      const lostAt = new Map<number, number>();
      for (const { at, answeredAt, request, poll, later, quietUntil: until } of ticks) {
        expect(at).toBeGreaterThanOrEqual(quietUntil);
        for (const seq of [...request, ...poll]) {
          const lost = lostAt.get(seq);
          if (lost !== undefined) expect(at - lost).toBeGreaterThanOrEqual(SHORTEST_TICK);
          lostAt.delete(seq);
        }
        for (const seq of later) lostAt.set(seq, answeredAt);
        quietUntil = Math.max(quietUntil, until);
      }
    });
  });

  test('no hot loop: a tick requests something, looks at what came of that, or comes later', () => {
    // that a tick has work at all is checked in the simulation itself
    always(({ ticks }, { runs }) => {
      const repeated = ticks.reduce((sum, { later, again }) => sum + later.length + again.length, 0);
      expect(ticks.filter(({ request }) => request.length > 0).length).toBeLessThanOrEqual(
        runs.length + repeated,
      );
      for (const [n, { at, request }] of ticks.entries()) {
        const before = ticks[n - 1];
        if (before && request.length === 0 && before.request.length === 0)
          expect(at).toBeGreaterThan(before.answeredAt);
      }
    });
  });
});

/** How often each run was tried, by what was heard of it: an attempt that got no answer is none. */
function attemptsOf({ ticks }: Simulated, runs: number): number[] {
  const attempts = new Array<number>(runs).fill(0);
  for (const { request, later } of ticks) {
    const lost = new Set(later);
    for (const seq of request) if (!lost.has(seq)) attempts[seq]! += 1;
  }
  return attempts;
}

describe('whatever attempts fail', () => {
  test('every run finishes, or has failed in each of its attempts', () => {
    always((simulated, { runs, attempts, runTimeout }) => {
      const { count } = attempts!;
      const tried = attemptsOf(simulated, runs.length);
      const failed = new Set(simulated.ticks.flatMap((tick) => tick.failed));
      for (const [seq, { ends, fails = 0 }] of runs.entries()) {
        expect(tried[seq]).toBeLessThanOrEqual(count);
        if (failed.has(seq)) expect(tried[seq]).toBe(count);
        // what takes too long fails, too
        if (runTimeout !== null) continue;
        expect(failed.has(seq)).toBe(ends === 'failed' || fails >= count);
        if (!failed.has(seq)) expect(tried[seq]).toBe(fails + 1);
      }
    });
  });

  test('an attempt waits as long as its policy says, twice as long each time', () => {
    always(({ ticks }, { attempts }) => {
      const failures = new Map<number, number>();
      const dueAt = new Map<number, number>();
      for (const { at, answeredAt, request, again } of ticks) {
        for (const seq of request) expect(at).toBeGreaterThanOrEqual(dueAt.get(seq) ?? 0);
        for (const [seq, delay] of again) {
          failures.set(seq, (failures.get(seq) ?? 0) + 1);
          expect(delay).toBe(nextAttemptIn(attempts!, failures.get(seq)!));
          dueAt.set(seq, answeredAt + delay);
        }
      }
    });
  });

  test('what is given up was believed to run for too long, and is not polled in the same tick', () => {
    always(({ ticks }, { runTimeout }) => {
      for (const { poll, expire, request, flightsBefore } of ticks) {
        if (runTimeout === null) expect(expire).toEqual([]);
        for (const seq of expire) expect(flightsBefore).toContain(seq);
        expect(new Set([...poll, ...expire, ...request]).size).toBe(
          poll.length + expire.length + request.length,
        );
      }
    });
  });

  test('flights and postponed runs are limited, however many runs fail', () => {
    const big: fc.Arbitrary<Scenario> = fc
      .record({
        count: fc.integer({ min: 210, max: 450 }),
        duration: fc.constantFrom(0, 10, 20_000),
        everyFails: fc.integer({ min: 1, max: 3 }),
        executors: fc.constantFrom(1, 50, 400),
        concurrency: fc.oneof(fc.constant('auto' as const), fc.integer({ min: 50, max: 500 })),
        latency: fc.integer({ min: 1, max: 2_000 }),
        troubles: fc.array(fc.constant({ tick: 3, share: 0.5, retryAfter: 0 }), { maxLength: 1 }),
        attempts: fc.record({
          count: fc.constantFrom(2, 3),
          backoff: fc.constantFrom(1, 10_000, HOUR, 10 * HOUR),
          seed: fc.constant('same' as const),
        }),
      })
      .map(({ count, duration, everyFails, ...rest }) => ({
        ...rest,
        mostFlights: MOST_FLIGHTS,
        runs: Array.from({ length: count }, (_, n) => ({
          duration,
          ends: 'new' as const,
          fails: n % everyFails === 0 ? 5 : 0,
        })),
      }));
    fc.assert(
      fc.property(big, (scenario) => {
        const simulated = simulate(scenario);
        for (const { flightsAfter, postponedAfter } of simulated.ticks)
          expect(flightsAfter + postponedAfter).toBeLessThanOrEqual(MOST_FLIGHTS);
        const tried = attemptsOf(simulated, scenario.runs.length);
        const { count } = scenario.attempts!;
        expect(tried).toEqual(scenario.runs.map(({ fails = 0 }) => Math.min(fails + 1, count)));
      }),
      { numRuns: 20 },
    );
  });
});

describe('how well it does, in virtual time', () => {
  const campaign = (
    count: number,
    duration: (n: number) => number,
    rest: Partial<Scenario> = {},
  ): Scenario => ({
    runs: Array.from({ length: count }, (_, n) => ({ duration: duration(n), ends: 'new' })),
    executors: 50,
    concurrency: 'auto',
    latency: 200,
    troubles: [],
    ...rest,
  });
  const pollsARun = ({ ticks }: Simulated, { runs }: Scenario): number =>
    ticks.reduce((sum, { poll }) => sum + poll.length, 0) / runs.length;

  test.each([
    ['2 s', campaign(2_000, () => 2_000), 1.6, 4],
    ['20 s', campaign(2_000, () => 20_000), 1.15, 7],
    ['2 min', campaign(1_000, () => 120_000), 1.15, 12],
    ['10 to 30 s', campaign(1_000, (n) => 10_000 + ((n * 7_919) % 20_000)), 1.2, 8],
  ])('runs of %s: executors stay busy, and polls are few', (_, scenario, slack, polls) => {
    const simulated = simulate(scenario);
    const work = scenario.runs.reduce((sum, { duration }) => sum + duration, 0) / scenario.executors;
    expect(simulated.makespan / work).toBeLessThan(slack);
    expect(pollsARun(simulated, scenario)).toBeLessThan(polls);
  });

  test.each([1, 2, 4])('on %i executors ticks are few, and polls', (executors) => {
    const scenario = campaign(600, (n) => 10_000 + ((n * 7_919) % 20_000), { executors });
    const simulated = simulate(scenario);
    const work = scenario.runs.reduce((sum, { duration }) => sum + duration, 0) / executors;
    expect(simulated.makespan / work).toBeLessThan(1.03);
    expect(pollsARun(simulated, scenario)).toBeLessThan(executors === 1 ? 4 : 3);
    // a tick is eleven history events
    expect(simulated.ticks.length / scenario.runs.length).toBeLessThan(executors === 1 ? 1 / 2 : 3 / 11);
  });

  test('runs of a fifth of a second keep executors busy from the first second on', () => {
    const scenario = campaign(2_000, () => 200, { executors: 8, latency: 60 });
    expect(simulate(scenario).makespan / 50_000).toBeLessThan(1.05);
  });

  test.each([1, 2, 3])('a campaign of short runs ends soon after its last run, seed %i', (seed) => {
    const random = seeded(seed);
    const durations = draw(2_000, 0.2, 'bimodal', random);
    const capacity = [{ from: 0, executors: 8 }];
    expect(foray(durations, capacity, random).makespan / listScheduling(durations, capacity)).toBeLessThan(
      1.03,
    );
  });

  test('starts that were counted in a moment do not make the queue long', () => {
    // between two early looks, a quarter of a second apart, the third seed has a start
    for (const seed of [1, 2, 3, 4, 5]) {
      const random = seeded(seed);
      const durations = draw(2_000, 60, 1, random);
      expect(foray(durations, [{ from: 0, executors: 3 }], random).outstanding).toBeLessThan(10);
    }
  });

  test('runs that the service has are through without any wait', () => {
    const runs = Array.from({ length: 1_271 }, () => ({ duration: 0, ends: 'reused' as const }));
    const { ticks, makespan } = simulate(campaign(0, () => 0, { runs }));
    expect(makespan).toBe(ticks.length * 200);
    expect(ticks.length).toBeLessThan(20);
  });

  test('a number as concurrency is used to the full', () => {
    const { ticks } = simulate(campaign(100, () => 10_000, { concurrency: 7 }));
    expect(Math.max(...ticks.map(({ flightsAfter }) => flightsAfter))).toBe(7);
  });

  test('one executor and long runs: the window stays small', () => {
    const { ticks } = simulate(campaign(60, () => 60_000, { executors: 1 }));
    expect(Math.max(...ticks.map(({ flightsAfter }) => flightsAfter))).toBeLessThanOrEqual(16);
  });
});

describe('step by step', () => {
  test('a campaign without runs has finished', () => {
    const schedule = newSchedule(0, 'auto');
    expect(isFinished(schedule)).toBe(true);
    expect(decide(schedule, 0)).toEqual({ request: [], poll: [], expire: [] });
    expect(wakeIn(schedule, 0)).toBe(0);
  });

  test('a request that got no answer is made again, before those that were never made', () => {
    const schedule = newSchedule(5, 2);
    const first = decide(schedule, 0);
    expect(first).toEqual({ request: [0, 1], poll: [], expire: [] });
    applyOutcomes(schedule, first, { ...none, queued: [0], later: [1] }, 100, 60_000);
    expect(inFlight(schedule, 100)).toEqual({ running: 0, queued: 1 });
    expect(decide(schedule, 60_099).request).toEqual([]);
    expect(wakeIn(schedule, 100)).toBe(60_000);
    expect(decide(schedule, 60_100)).toEqual({ request: [1], poll: [0], expire: [] });
  });

  test('a tick that goes well does not shorten the wait that the service asked for before', () => {
    const schedule = newSchedule(3, 2);
    const first = decide(schedule, 0);
    applyOutcomes(schedule, first, { ...none, queued: [0], later: [1] }, 0, 60_000);
    // an answer that comes late, of a tick that was decided before
    applyOutcomes(schedule, { request: [] }, { ...none, running: [0] }, 500);
    expect(decide(schedule, 59_999).request).toEqual([]);
    expect(decide(schedule, 60_000).request).toEqual([1]);
  });

  test('while requests wait, runs in flight are looked at all the same', () => {
    const schedule = newSchedule(3, 3);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0, 1], later: [2] }, 0);
    let now = wakeIn(schedule, 0);
    applyOutcomes(schedule, { request: [] }, { ...none, new: [0], running: [1] }, now);
    for (let n = 0; n < 20; n += 1) {
      now += wakeIn(schedule, now);
      const decision = decide(schedule, now);
      applyOutcomes(schedule, decision, { ...none, running: decision.poll, later: decision.request }, now);
    }
    // the request backs off, the poll does not wait for it
    expect(schedule.again).toEqual([2]);
    expect(schedule.againAt - now).toBeGreaterThanOrEqual(wakeIn(schedule, now));
  });

  test('a run that falls due while others are asked about goes with them from then on', () => {
    const schedule = newSchedule(2, 2);
    applyOutcomes(schedule, { request: [0] }, { ...none, running: [0] }, 0);
    applyOutcomes(schedule, { request: [1] }, { ...none, running: [1] }, 10_000);
    const wait = wakeIn(schedule, 10_000);
    expect(wait).toBeGreaterThanOrEqual(SHORTEST_TICK);
    expect(decide(schedule, 10_000 + wait).poll.toSorted()).toEqual([0, 1]);
  });

  test('running and queued are those last seen; a run that the service put back is queued again', () => {
    const schedule = newSchedule(2, 2);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0], queued: [1] }, 0);
    expect(inFlight(schedule, 0)).toEqual({ running: 1, queued: 1 });
    applyOutcomes(schedule, { request: [] }, { ...none, queued: [0] }, 5_000);
    expect(inFlight(schedule, 5_000)).toEqual({ running: 0, queued: 2 });
  });
});

/** A schedule that knows its runs to take so long: it has seen a few of them. */
function experienced(total: number, concurrency: number | 'auto', duration: number): Schedule {
  const schedule = newSchedule(total + 10, concurrency);
  const seqs = Array.from({ length: 10 }, (_, n) => total + n);
  applyOutcomes(schedule, { request: [] }, { ...none, running: seqs }, 0);
  applyOutcomes(schedule, { request: [] }, { ...none, new: seqs }, duration);
  schedule.total = total;
  return schedule;
}

describe('an attempt that failed', () => {
  test('is made again when its time has come, not before, and before what was never requested', () => {
    const schedule = newSchedule(5, 2);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [1], again: [[0, MINUTE]] }, 100);
    expect(schedule.postponed).toEqual([{ seq: 0, at: MINUTE + 100 }]);
    expect(inFlight(schedule, 100)).toEqual({ running: 1, queued: 0 });
    // it holds no place in the window meanwhile
    expect(decide(schedule, MINUTE + 99).request).toEqual([2]);
    expect(decide(schedule, MINUTE + 100).request).toEqual([0]);
    applyOutcomes(schedule, { request: [0] }, { ...none, running: [0] }, MINUTE + 100);
    expect(schedule.postponed).toEqual([]);
    expect(schedule.next).toBe(2);
  });

  test('goes before what waits in the store, too', () => {
    const schedule = newSchedule(3, 1);
    startOver(schedule, 0);
    addPage(schedule, [0, 1, 2]);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, again: [[0, MINUTE]] }, 0);
    expect(decide(schedule, MINUTE - 1).request).toEqual([1]);
    expect(decide(schedule, MINUTE).request).toEqual([0]);
  });

  test('is woken for: when it is all there is, at its time; at the latest then, when there is more', () => {
    const alone = newSchedule(2, 2);
    applyOutcomes(alone, decide(alone, 0), { ...none, new: [1], again: [[0, HOUR]] }, 0);
    expect(isFinished(alone)).toBe(false);
    expect(wakeIn(alone, 0)).toBe(HOUR);
    expect(wakeIn(alone, HOUR - 1)).toBe(1);
    expect(decide(alone, HOUR)).toEqual({ request: [0], poll: [], expire: [] });

    const beside = experienced(2, 2, 100 * MINUTE);
    applyOutcomes(beside, { request: [0, 1] }, { ...none, running: [1], again: [[0, 5_000]] }, 100 * MINUTE);
    expect(wakeIn(beside, 100 * MINUTE)).toBe(5_000);
  });

  test('that waits is no reason to look: with nothing else to do there is no tick until then', () => {
    const schedule = newSchedule(3, 3);
    const again: [number, number][] = [0, 1, 2].map((seq) => [seq, HOUR + seq]);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, again }, 0);
    expect(wakeIn(schedule, 0)).toBe(HOUR);
    expect(decide(schedule, HOUR - 1)).toEqual({ request: [], poll: [], expire: [] });
  });

  test('waits on while the campaign is paused, and goes out first when it goes on', () => {
    const schedule = newSchedule(4, 2);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [1], again: [[0, MINUTE]] }, 0);
    schedule.isHeld = true;
    expect(decide(schedule, 2 * MINUTE).request).toEqual([]);
    applyOutcomes(schedule, { request: [] }, { ...none, running: [1] }, 2 * MINUTE);
    expect(schedule.postponed).toHaveLength(1);
    expect(isFinished(schedule)).toBe(false);
    schedule.isHeld = false;
    expect(decide(schedule, 2 * MINUTE).request).toEqual([0]);
  });

  test('is not woken for while the campaign is paused', () => {
    const schedule = experienced(1, 2, 100 * MINUTE);
    schedule.isHeld = true;
    applyOutcomes(schedule, { request: [0] }, { ...none, running: [0], again: [[7, 5_000]] }, 100 * MINUTE);
    expect(wakeIn(schedule, 100 * MINUTE)).toBeGreaterThan(5_000);
  });

  test('waits, too, while the service wants to be left alone', () => {
    // heard while polling, so that no request waits as well
    const schedule = newSchedule(2, 2);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0, 1] }, 0);
    applyOutcomes(schedule, { request: [] }, { ...none, new: [0], later: [1] }, 1_000, MINUTE);
    applyOutcomes(schedule, { request: [] }, { ...none, again: [[1, 10]] }, 2_000);
    expect(decide(schedule, MINUTE + 999).request).toEqual([]);
    expect(wakeIn(schedule, 2_000)).toBe(MINUTE - 1_000);
    expect(decide(schedule, MINUTE + 1_000).request).toEqual([1]);
  });

  test('and for which there is no room is no reason to look every second', () => {
    const now = 100 * MINUTE;
    const schedule = experienced(3, 2, now);
    const again: [number, number][] = [[0, 10]];
    applyOutcomes(schedule, { request: [0, 1, 2] }, { ...none, running: [1, 2], again }, now);
    applyOutcomes(schedule, { request: [] }, { ...none, running: [1, 2] }, now + 1_000);
    expect(decide(schedule, now + 1_000).request).toEqual([]);
    expect(wakeIn(schedule, now + 1_000)).toBeGreaterThan(MINUTE);
  });

  test.each([['auto'], [10], [500]] as const)(
    'counts towards the limit, so that many of them are waited for: concurrency %s',
    (concurrency) => {
      const schedule = { ...newSchedule(100_000, concurrency), mostFlights: MOST_FLIGHTS };
      let now = 0;
      for (let n = 0; schedule.postponed.length < MOST_FLIGHTS; n += 1) {
        const { request } = decide(schedule, now);
        expect(request.length).toBeGreaterThan(0);
        applyOutcomes(schedule, { request }, { ...none, again: request.map((seq) => [seq, HOUR]) }, now);
        now += 1;
        if (n > MOST_FLIGHTS) throw new Error('the window does not fill');
      }
      expect(schedule.postponed).toHaveLength(MOST_FLIGHTS);
      expect(decide(schedule, now)).toEqual({ request: [], poll: [], expire: [] });
      expect(windowOf(schedule, now)).toBe(0);
      // it sleeps until the first of them is due
      expect(now + wakeIn(schedule, now)).toBe(HOUR);
      expect(decide(schedule, HOUR).request[0]).toBe(0);
    },
  );
});

describe('a run that takes too long', () => {
  test('is given up at its time, not before; one that is queued has not begun', () => {
    const schedule = newSchedule(3, 3, MINUTE);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0], queued: [1, 2] }, 0);
    expect(decide(schedule, MINUTE - 1).expire).toEqual([]);
    const { expire, poll } = decide(schedule, MINUTE);
    expect(expire).toEqual([0]);
    expect(poll).not.toContain(0);
    // one that starts later is given up later
    applyOutcomes(schedule, { request: [] }, { ...none, running: [0, 1], queued: [2] }, 30_000);
    expect(decide(schedule, MINUTE).expire).toEqual([0]);
    const startedAt = schedule.flights.find(({ seq }) => seq === 1)!.startedAt;
    expect(startedAt).toBeGreaterThan(0);
    expect(decide(schedule, startedAt + MINUTE - 1).expire).toEqual([0]);
    expect(decide(schedule, startedAt + MINUTE).expire).toEqual([0, 1]);
  });

  test('without a limit none is', () => {
    const schedule = newSchedule(1, 1);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0] }, 0);
    expect(decide(schedule, 1_000 * HOUR).expire).toEqual([]);
    schedule.runTimeout = HOUR;
    expect(decide(schedule, HOUR).expire).toEqual([0]);
  });

  test('exactly those that have run for so long are given up, whatever flies', () => {
    const flight = fc.record({
      startedAt: fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: 10_000 })),
      lookedAt: fc.integer({ min: 0, max: 10_000 }),
    });
    fc.assert(
      fc.property(
        fc.array(flight, { maxLength: 50, size: 'max' }),
        fc.option(fc.integer({ min: 1, max: 10_000 })),
        fc.integer({ min: 10_000, max: 20_000 }),
        fc.boolean(),
        (flights, runTimeout, now, isHeld) => {
          const schedule = newSchedule(50, 'auto', runTimeout);
          schedule.flights = flights.map((all, seq) => ({ seq, ...all }));
          schedule.isHeld = isHeld;
          const { expire, poll } = decide(schedule, now);
          const tooLong = schedule.flights.filter(
            ({ startedAt }) => runTimeout !== null && startedAt >= 0 && now - startedAt >= runTimeout,
          );
          expect(expire).toEqual(tooLong.map(({ seq }) => seq));
          expect(poll.filter((seq) => expire.includes(seq))).toEqual([]);
        },
      ),
    );
  });

  test('is woken for in time, whatever else there is to look at', () => {
    const now = 100 * MINUTE;
    const schedule = experienced(5, 2, now);
    schedule.runTimeout = 10_000;
    applyOutcomes(schedule, { request: [0, 1] }, { ...none, running: [0], queued: [1] }, now);
    expect(wakeIn(schedule, now)).toBe(10_000);
    // also while the campaign is paused, and when nothing is left to request
    for (const change of [{ isHeld: true }, { next: 5 }]) {
      const other = { ...structuredClone(schedule), ...change };
      applyOutcomes(other, { request: [] }, { ...none, queued: [1] }, now + 1_000);
      expect(wakeIn(other, now + 1_000)).toBe(9_000);
    }
    // a second from now at the soonest, when it is overdue
    applyOutcomes(schedule, { request: [] }, { ...none, later: [0] }, now + 20_000);
    expect(wakeIn(schedule, now + 20_000)).toBe(SHORTEST_TICK);
    expect(decide(schedule, now + 20_000 + SHORTEST_TICK).expire).toEqual([0]);
  });

  test('tells that it ran for so long, not that it would have finished then', () => {
    const sum = (numbers: readonly (number | undefined)[]): number =>
      numbers.reduce<number>((all, number) => all + (number ?? 0), 0);
    const seen = (ending: Partial<Outcomes>): Schedule => {
      const schedule = newSchedule(1, 1, MINUTE);
      applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0] }, 0);
      applyOutcomes(schedule, { request: [] }, { ...none, ...ending }, MINUTE);
      expect(schedule.flights).toEqual([]);
      return schedule;
    };
    const endings: Partial<Outcomes>[] = [{ failed: [0] }, { again: [[0, 1_000]] }];
    for (const ending of endings) {
      const { hazard } = seen(ending);
      expect(hazard.finished).toBe(0);
      expect(sum(hazard.events)).toBe(0);
      expect(sum(hazard.exposure)).toBeCloseTo(MINUTE);
    }
    // one that fails by itself has finished
    const schedule = newSchedule(1, 1, MINUTE);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0] }, 0);
    applyOutcomes(schedule, { request: [] }, { ...none, failed: [0] }, MINUTE - 1);
    expect(schedule.hazard.finished).toBe(1);
  });
});

describe('work that waits in the store', () => {
  test('is asked for in pages, in their order, and what is known here is not taken twice', () => {
    const schedule = newSchedule(10, 4);
    applyOutcomes(
      schedule,
      decide(schedule, 0),
      { ...none, running: [0], new: [1], again: [[2, 10]], later: [3] },
      0,
    );
    expect(needsWork(schedule, 0)).toBe(false);
    startOver(schedule, 5);
    expect(schedule).toMatchObject({ next: 10, postponed: [], more: -1, again: [3] });
    expect(wakeIn(schedule, 5)).toBe(0);
    expect(isFinished(schedule)).toBe(false);
    expect(needsWork(schedule, 5_000)).toBe(true);
    addPage(schedule, [2, 4, 5]);
    expect(schedule).toMatchObject({ again: [3, 2, 4, 5], more: 5 });
    // enough for now
    expect(needsWork(schedule, 5_000)).toBe(false);
    applyOutcomes(schedule, decide(schedule, 5_000), { ...none, new: [3, 2, 4] }, 5_000);
    expect(needsWork(schedule, 5_000)).toBe(true);
    addPage(schedule, [6, 7, 8, 9]);
    applyOutcomes(schedule, decide(schedule, 5_000), { ...none, new: [5, 6, 7], running: [0] }, 5_000);
    expect(needsWork(schedule, 5_000)).toBe(true);
    addPage(schedule, []);
    expect(schedule.more).toBeNull();
    expect(needsWork(schedule, 5_000)).toBe(false);
    applyOutcomes(schedule, decide(schedule, 5_000), { ...none, new: [8, 9, 0] }, 5_000);
    expect(isFinished(schedule)).toBe(true);
  });

  test('is not asked for while the campaign is paused, or the window is full', () => {
    const schedule = newSchedule(10, 2);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0, 1] }, 0);
    startOver(schedule, 0);
    expect(needsWork(schedule, 0)).toBe(false);
    schedule.concurrency = 3;
    expect(needsWork(schedule, 0)).toBe(true);
    schedule.isHeld = true;
    expect(needsWork(schedule, 0)).toBe(false);
  });

  test('a campaign with nothing left in the store has finished', () => {
    const schedule = newSchedule(3, 'auto');
    startOver(schedule, 0);
    expect(isFinished(schedule)).toBe(false);
    expect(needsWork(schedule, 0)).toBe(true);
    addPage(schedule, []);
    expect(isFinished(schedule)).toBe(true);
  });

  test('in pages of any size, with flights of any kind, each run is requested once for each attempt', () => {
    const fates = fc.constantFrom('new', 'new', 'reused', 'failed', 'running', 'queued', 'again', 'later');
    const scenario = fc.record({
      runs: fc.integer({ min: 1, max: 40 }),
      added: fc.nat(20),
      page: fc.integer({ min: 1, max: 15 }),
      concurrency: fc.oneof(fc.constant('auto' as const), fc.integer({ min: 1, max: 12 })),
      /** Ticks before which it starts over: the store has changed. */
      startsOver: fc.uniqueArray(fc.nat(12), { minLength: 1, maxLength: 3 }),
      dropped: fc.array(fc.nat(60), { maxLength: 10 }),
      fates: fc.array(fates, { minLength: 1, maxLength: 60, size: 'max' }),
    });
    fc.assert(
      fc.property(scenario, ({ runs, added, page, concurrency, startsOver, dropped, fates: all }) => {
        // what the store knows, and how often each run was to be requested and was
        const store = new Map(Array.from({ length: runs }, (_, seq) => [seq, 'waiting']));
        const wanted = new Map<number, number>();
        const requested = new Map<number, number>();
        const more = (counts: Map<number, number>, seq: number): unknown =>
          counts.set(seq, (counts.get(seq) ?? 0) + 1);
        for (const seq of store.keys()) more(wanted, seq);
        let schedule = newSchedule(runs, concurrency);
        let now = 1_000;
        let asked = 0;
        for (let tick = 0; tick < 13 || !isFinished(schedule); tick += 1) {
          if (tick > 3_000) throw new Error('it does not end');
          schedule = JSON.parse(JSON.stringify(schedule)) as Schedule;
          if (startsOver.includes(tick)) {
            // only what waits can be dropped; new runs have new numbers
            for (const seq of dropped)
              if (store.get(seq) === 'waiting') {
                store.delete(seq);
                wanted.set(seq, requested.get(seq) ?? 0);
              }
            const first = Math.max(-1, ...store.keys(), ...wanted.keys()) + 1;
            for (let seq = first; seq < first + added; seq += 1) {
              store.set(seq, 'waiting');
              more(wanted, seq);
            }
            startOver(schedule, now);
          }
          if (needsWork(schedule, now)) {
            const waiting = [...store.keys()].filter(
              (seq) => store.get(seq) === 'waiting' && seq > schedule.more!,
            );
            addPage(schedule, waiting.toSorted((a, b) => a - b).slice(0, page));
          }
          const decision = decide(schedule, now);
          const outcomes = emptyOutcomes();
          for (const seq of [...decision.request, ...decision.poll]) {
            const isRequest = decision.request.includes(seq);
            // the store leaves out what it does not have
            if (!store.has(seq)) continue;
            if (isRequest) {
              expect(['waiting', 'intended']).toContain(store.get(seq));
              more(requested, seq);
            } else expect(store.get(seq)).toBe('open');
            const fate = asked < all.length ? all[asked]! : 'new';
            asked += 1;
            if (fate === 'again') {
              outcomes.again.push([seq, 1 + (asked % 7) * 1_000]);
              store.set(seq, 'waiting');
              more(wanted, seq);
            } else if (fate === 'later') {
              outcomes.later.push(seq);
              if (isRequest) {
                store.set(seq, 'intended');
                more(wanted, seq);
              }
            } else {
              outcomes[fate].push(seq);
              store.set(seq, fate === 'running' || fate === 'queued' ? 'open' : 'over');
            }
          }
          applyOutcomes(schedule, decision, outcomes, now);
          now += Math.max(1, wakeIn(schedule, now));
        }
        expect([...store.values()].every((state) => state === 'over')).toBe(true);
        for (const [seq, times] of wanted) expect([seq, requested.get(seq) ?? 0]).toEqual([seq, times]);
        for (const seq of requested.keys()) expect(wanted.has(seq)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
