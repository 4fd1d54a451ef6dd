import fc, { draws } from '../../support/fast-check.ts';
import type { AttemptPolicy } from '../../../src/campaign/types.ts';
import { newSchedule, applyOutcomes, type Schedule } from '../../../src/campaign/scheduler/index.ts';
import { type Scenario, simulate, type Simulated } from './simulation.ts';

/** Outcomes without any run. */
export const none = { new: [], reused: [], failed: [], queued: [], running: [], later: [], again: [] };

export const anyRun = fc.record({
  duration: fc.oneof(fc.constant(0), fc.nat(5_000), fc.nat(600_000)),
  ends: fc.constantFrom('new', 'new', 'new', 'reused', 'failed'),
  fails: fc.constantFrom(0, 0, 0, 0, 1, 2, 5),
});
export const anyBackoff = fc.oneof(
  fc.integer({ min: 1, max: 5_000 }),
  fc.integer({ min: 1, max: 8_000_000 }),
);
export const anyAttempts: fc.Arbitrary<AttemptPolicy> = fc.record({
  count: fc.constantFrom(1, 1, 2, 3, 4),
  backoff: anyBackoff,
  seed: fc.constantFrom('same', 'new'),
});
export const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  // without a size, fast-check makes arrays of at most a dozen items
  runs: fc.array(anyRun, { minLength: 1, maxLength: 60, size: 'max' }),
  executors: fc.integer({ min: 1, max: 40 }),
  concurrency: fc.oneof(fc.constant('auto' as const), fc.integer({ min: 1, max: 50 })),
  // times are whole ms, so much shorter ticks would leave the order of events unknown
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

/** What was simulated, by scenario: all laws have the same scenarios, because the seed is fixed. */
const known = new Map<string, Simulated>();

export function always(check: (simulated: Simulated, scenario: Scenario) => void): void {
  fc.assert(
    fc.property(anyScenario, (scenario) => {
      const key = JSON.stringify(scenario);
      if (!known.has(key)) known.set(key, simulate(scenario));
      check(known.get(key)!, scenario);
    }),
    { numRuns: draws(80) },
  );
}

/** The number of attempts of each run, from the answers: an attempt without an answer does not count. */
export function attemptsOf({ ticks }: Simulated, runs: number): number[] {
  const attempts = new Array<number>(runs).fill(0);
  for (const { request, later } of ticks) {
    const lost = new Set(later);
    for (const seq of request) if (!lost.has(seq)) attempts[seq]! += 1;
  }
  return attempts;
}

/** A schedule that knows the duration of its runs, because ten runs have finished. */
export function experienced(total: number, concurrency: number | 'auto', duration: number): Schedule {
  const schedule = newSchedule(total + 10, concurrency);
  const seqs = Array.from({ length: 10 }, (_, n) => total + n);
  applyOutcomes(schedule, { request: [] }, { ...none, running: seqs }, 0);
  applyOutcomes(schedule, { request: [] }, { ...none, new: seqs }, duration);
  schedule.total = total;
  return schedule;
}
