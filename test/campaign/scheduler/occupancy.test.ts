import { describe, expect, test } from '@jest/globals';
import { type Scenario, simulate } from './simulation.ts';

function campaign(count: number, duration: number, more: Partial<Scenario> = {}): Scenario {
  return {
    runs: Array.from({ length: count }, (_, n) => ({
      duration: duration * (0.8 + (n % 5) / 10),
      ends: 'new',
    })),
    executors: 2,
    concurrency: 'auto',
    latency: 100,
    troubles: [],
    ...more,
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('runs that are shown as running', () => {
  test.each([
    [200, 'auto'],
    [500, 'auto'],
    [2_000, 'auto'],
    [60_000, 'auto'],
    [500, 20],
    [60_000, 20],
  ] as const)(
    'are on average about as many as two executors execute: runs of %i ms, concurrency %s',
    (duration, concurrency) => {
      const { ticks } = simulate(campaign(200, duration, { concurrency }));
      // the shown number is an estimate, because a tick lasts longer than a short run
      for (const { shown } of ticks) expect(shown).toBeLessThanOrEqual(4);
      expect(mean(ticks.map(({ shown }) => shown))).toBeLessThan(2.5);
      expect(mean(ticks.map(({ shown }) => shown))).toBeGreaterThan(0.5);
    },
  );

  test('are on average 80 to 110 if 100 executors are busy', () => {
    const { ticks } = simulate(campaign(3_000, 20_000, { executors: 100 }));
    const busy = ticks.filter(({ executing }) => executing === 100);
    expect(busy.length).toBeGreaterThan(20);
    const shown = mean(busy.map((tick) => tick.shown));
    expect(shown).toBeGreaterThan(80);
    expect(shown).toBeLessThan(110);
  });
});
