import { describe, expect, test } from '@jest/globals';
import { sampledRuns } from '../../src/client/plan.ts';

function largestGap(chosen: Iterable<number>, runs: number): number {
  const sorted = [-1, ...[...chosen].sort((a, b) => a - b), runs];
  return Math.max(...sorted.slice(1).map((run, at) => run - sorted[at]!));
}

describe('the runs about which a plan asks the service', () => {
  test.each([
    [28_800, 2_000],
    [11_000, 2_000],
    [36_114, 384],
    [1_000_000, 2_000],
  ])('are spread evenly if only some of %i runs are asked about', (runs, most) => {
    const chosen = [...sampledRuns(runs, most)];
    expect(chosen.length).toBeLessThanOrEqual(most);
    // the gap between two neighbouring runs is less than four times the mean gap, also if the questions stop early
    for (const asked of [most, most / 2, most / 10])
      expect(largestGap(chosen.slice(0, asked), runs)).toBeLessThan((4 * runs) / asked);
  });

  test.each([1, 2, 7, 200, 1_999, 2_000])(
    'are all of %i runs, and each beginning of them is spread evenly',
    (runs) => {
      const chosen = [...sampledRuns(runs, 2_000)];
      expect(chosen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: runs }, (_, run) => run));
      for (const asked of [runs, runs / 2, runs / 4].map(Math.ceil))
        expect(largestGap(chosen.slice(0, asked), runs)).toBeLessThanOrEqual((4 * runs) / asked);
    },
  );

  test('are none if a plan asks about none', () => {
    expect([...sampledRuns(10, 0)]).toEqual([]);
  });
});
