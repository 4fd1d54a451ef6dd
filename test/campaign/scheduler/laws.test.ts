import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { nextAttemptIn } from '../../../src/campaign/failures.ts';
import { isFinished } from '../../../src/campaign/scheduler/index.ts';
import { type Scenario, simulate, type Tick } from './simulation.ts';
import { always, attemptsOf } from './support.ts';

const MINUTE = 60_000;
const SHORTEST_TICK = 1_000;
/** The shortest time between two polls of a run when nothing is left to request, ms. */
const SHORTEST_LOOK = 250;
/** A low limit of flights, so that a test reaches the limit with few runs. */
const MOST_FLIGHTS = 200;
const HOUR = 60 * MINUTE;

/** The shortest time between two polls of a run, ms, if the later one is in the tick with this index. */
function leastPauses(ticks: readonly Tick[]): (tick: number) => number {
  const lastRequest = ticks.findLastIndex(({ request }) => request.length > 0);
  return (tick) => (tick > lastRequest ? SHORTEST_LOOK : SHORTEST_TICK);
}

describe('for any behaviour of the service', () => {
  test('every run finishes exactly once, and is neither requested nor polled afterwards', () => {
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

  test('a tick requests runs that are not in flight, and polls runs in flight, each at most once', () => {
    always(({ ticks }) => {
      for (const { request, poll, flightsBefore } of ticks) {
        expect(new Set([...request, ...flightsBefore]).size).toBe(request.length + flightsBefore.length);
        expect(new Set(poll).size).toBe(poll.length);
        for (const seq of poll) expect(flightsBefore).toContain(seq);
      }
    });
  });

  test('a tick never requests more runs than the window allows, and flights never exceed a fixed concurrency', () => {
    always(({ ticks }, { concurrency }) => {
      for (const { request, flightsBefore, flightsAfter, window } of ticks) {
        const most = concurrency === 'auto' ? window : concurrency;
        if (request.length > 0) expect(flightsBefore.length + request.length).toBeLessThanOrEqual(most);
        if (concurrency !== 'auto') expect(flightsAfter).toBeLessThanOrEqual(concurrency);
      }
    });
  });

  test('two polls of a run are at least a second apart, or a quarter of a second when nothing is left to request', () => {
    always(({ ticks }) => {
      const askedAt = new Map<number, number>();
      const leastAt = leastPauses(ticks);
      for (const [tick, { at, answeredAt, request, poll, running }] of ticks.entries()) {
        const least = leastAt(tick);
        // a new attempt is a new run, so its first poll may come at once
        for (const seq of request) askedAt.delete(seq);
        for (const seq of poll) {
          const last = askedAt.get(seq);
          if (last !== undefined) expect(at - last).toBeGreaterThanOrEqual(least);
        }
        for (const seq of running) askedAt.set(seq, answeredAt);
      }
    });
  });

  test('a request or poll without an answer is repeated after at least a second, and no tick begins during a pause that the service asked for', () => {
    always(({ ticks }) => {
      let quietUntil = 0;
      const lostAt = new Map<number, number>();
      const leastAt = leastPauses(ticks);
      for (const [tick, { at, answeredAt, request, poll, later, quietUntil: until }] of ticks.entries()) {
        expect(at).toBeGreaterThanOrEqual(quietUntil);
        const least = leastAt(tick);
        for (const seq of [...request, ...poll]) {
          const lost = lostAt.get(seq);
          if (lost !== undefined) expect(at - lost).toBeGreaterThanOrEqual(least);
          lostAt.delete(seq);
        }
        for (const seq of later) lostAt.set(seq, answeredAt);
        quietUntil = Math.max(quietUntil, until);
      }
    });
  });

  test('there is no busy loop: each tick requests or polls runs, and otherwise waits', () => {
    // the simulation itself checks that each tick has work or a wait
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

describe('for any failed attempts', () => {
  test('every run finishes, or fails in each of its attempts', () => {
    always((simulated, { runs, attempts, runTimeout }) => {
      const { count } = attempts!;
      const tried = attemptsOf(simulated, runs.length);
      const failed = new Set(simulated.ticks.flatMap((tick) => tick.failed));
      for (const [seq, { ends, fails = 0 }] of runs.entries()) {
        expect(tried[seq]).toBeLessThanOrEqual(count);
        if (failed.has(seq)) expect(tried[seq]).toBe(count);
        // a run that takes too long fails, too
        if (runTimeout !== null) continue;
        expect(failed.has(seq)).toBe(ends === 'failed' || fails >= count);
        if (!failed.has(seq)) expect(tried[seq]).toBe(fails + 1);
      }
    });
  });

  test('an attempt waits as long as the attempt policy says, and is not requested earlier', () => {
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

  test('no run is given up without a time limit; a run that is given up was in flight, and is not polled in the same tick', () => {
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

  test('the number of flights and postponed runs is limited even if many runs fail, and each run has all its attempts', () => {
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
