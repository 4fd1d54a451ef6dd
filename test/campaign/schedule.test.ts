import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decide, inFlight, isFinished, newSchedule, record, wakeIn } from '../../src/campaign/schedule.ts';
import { type Scenario, simulate, type Simulated } from './simulation.ts';

const SHORTEST_TICK = 1_000;
const none = { new: [], reused: [], failed: [], queued: [], running: [], later: [] };

const anyRun = fc.record({
  duration: fc.oneof(fc.constant(0), fc.nat(5_000), fc.nat(600_000)),
  ends: fc.constantFrom('new', 'new', 'new', 'reused', 'failed'),
});
const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  runs: fc.array(anyRun, { minLength: 1, maxLength: 120 }),
  executors: fc.integer({ min: 1, max: 40 }),
  concurrency: fc.oneof(fc.constant('auto' as const), fc.integer({ min: 1, max: 50 })),
  latency: fc.oneof(fc.constant(0), fc.nat(8_000)),
  troubles: fc.array(
    fc.record({
      tick: fc.nat(30),
      share: fc.constantFrom(0.1, 0.5, 1),
      retryAfter: fc.oneof(fc.constant(0), fc.nat(5_000), fc.nat(3_600_000)),
    }),
    { maxLength: 6 },
  ),
});

function always(check: (simulated: Simulated, scenario: Scenario) => void): void {
  fc.assert(
    fc.property(anyScenario, (scenario) => check(simulate(scenario), scenario)),
    { numRuns: 400 },
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

  test('a run that runs is polled a second apart at least', () => {
    always(({ ticks }) => {
      const askedAt = new Map<number, number>();
      for (const { at, answeredAt, poll, running } of ticks) {
        for (const seq of poll) {
          const last = askedAt.get(seq);
          if (last !== undefined) expect(at - last).toBeGreaterThanOrEqual(SHORTEST_TICK);
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

  test('no hot loop: a tick requests something, or comes later than the answers before', () => {
    // that a tick has work at all is checked in the simulation itself
    always(({ ticks }, { runs }) => {
      const lost = ticks.reduce((sum, { later }) => sum + later.length, 0);
      expect(ticks.filter(({ request }) => request.length > 0).length).toBeLessThanOrEqual(
        runs.length + lost,
      );
      for (const [n, { at, request }] of ticks.entries()) {
        if (n > 0 && request.length === 0) expect(at).toBeGreaterThan(ticks[n - 1]!.answeredAt);
      }
    });
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
    expect(decide(schedule, 0)).toEqual({ request: [], poll: [] });
    expect(wakeIn(schedule, 0)).toBe(0);
  });

  test('a request that got no answer is made again, before those that were never made', () => {
    const schedule = newSchedule(5, 2);
    const first = decide(schedule, 0);
    expect(first).toEqual({ request: [0, 1], poll: [] });
    record(schedule, first, { ...none, queued: [0], later: [1] }, 100, 60_000);
    expect(inFlight(schedule)).toEqual({ running: 0, queued: 1 });
    expect(decide(schedule, 60_099).request).toEqual([]);
    expect(wakeIn(schedule, 100)).toBe(60_000);
    expect(decide(schedule, 60_100)).toEqual({ request: [1], poll: [0] });
  });

  test('a tick that goes well does not shorten the wait that the service asked for before', () => {
    const schedule = newSchedule(3, 2);
    const first = decide(schedule, 0);
    record(schedule, first, { ...none, queued: [0], later: [1] }, 0, 60_000);
    // an answer that comes late, of a tick that was decided before
    record(schedule, { request: [], poll: [0] }, { ...none, running: [0] }, 500);
    expect(decide(schedule, 59_999).request).toEqual([]);
    expect(decide(schedule, 60_000).request).toEqual([1]);
  });

  test('while requests wait, runs in flight are looked at all the same', () => {
    const schedule = newSchedule(3, 3);
    record(schedule, decide(schedule, 0), { ...none, running: [0, 1], later: [2] }, 0);
    let now = wakeIn(schedule, 0);
    record(schedule, { request: [], poll: [0, 1] }, { ...none, new: [0], running: [1] }, now);
    for (let n = 0; n < 20; n += 1) {
      now += wakeIn(schedule, now);
      const decision = decide(schedule, now);
      record(schedule, decision, { ...none, running: decision.poll, later: decision.request }, now);
    }
    // the request backs off, the poll does not wait for it
    expect(schedule.again).toEqual([2]);
    expect(schedule.againAt - now).toBeGreaterThanOrEqual(wakeIn(schedule, now));
  });

  test('a run that falls due while others are asked about goes with them from then on', () => {
    const schedule = newSchedule(2, 2);
    record(schedule, { request: [0], poll: [] }, { ...none, running: [0] }, 0);
    record(schedule, { request: [1], poll: [] }, { ...none, running: [1] }, 10_000);
    const wait = wakeIn(schedule, 10_000);
    expect(wait).toBeGreaterThanOrEqual(SHORTEST_TICK);
    expect(decide(schedule, 10_000 + wait).poll.toSorted()).toEqual([0, 1]);
  });

  test('running and queued are those last seen; a run that the service put back is queued again', () => {
    const schedule = newSchedule(2, 2);
    record(schedule, decide(schedule, 0), { ...none, running: [0], queued: [1] }, 0);
    expect(inFlight(schedule)).toEqual({ running: 1, queued: 1 });
    record(schedule, { request: [], poll: [0] }, { ...none, queued: [0] }, 5_000);
    expect(inFlight(schedule)).toEqual({ running: 0, queued: 2 });
  });
});
