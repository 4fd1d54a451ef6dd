import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { Distribution } from '../../../src/report/summary/distribution.ts';

function distributionOf(values: readonly number[], narrowest: 0 | 1 = 0): Distribution {
  const distribution = new Distribution(narrowest);
  for (const value of values) distribution.add(value);
  return distribution;
}

const value = fc.oneof(
  fc.double({ min: -1e300, max: 1e300, noNaN: true }),
  fc.double({ min: -10, max: 10, noNaN: true }),
  fc.integer(),
);

describe('a distribution', () => {
  test('counts each value in its interval, whatever values came before', () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 2, max: 50 }),
        (values, most) => {
          const distribution = distributionOf(values);
          const intervals = distribution.intervals(most);
          expect(intervals.length).toBeLessThanOrEqual(most);
          for (const { from, to, count } of intervals) {
            expect(count).toBe(values.filter((one) => from <= one && one < to).length);
          }
          expect(intervals.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
          expect([distribution.min, distribution.max]).toEqual([Math.min(...values), Math.max(...values)]);
        },
      ),
      {
        examples: [[[-5e-324, 0, 1], 4]],
      },
    );
  });

  test('does not depend on the order of the values', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 40 }), fc.integer({ min: 2, max: 50 }), (values, most) => {
        const sorted = values.toSorted((a, b) => b - a);
        expect(distributionOf(values).intervals(most)).toEqual(distributionOf(sorted).intervals(most));
      }),
    );
  });

  test('takes more values after it was read', () => {
    const [looked, whole] = [new Distribution(), new Distribution()];
    for (let value = 0; value < 100; value += 1) {
      looked.add(value);
      whole.add(value);
      looked.intervals(3);
    }
    expect(looked.intervals(40)).toEqual(whole.intervals(40));
  });

  test('has adjacent intervals of equal width that are as narrow as allowed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 2, maxLength: 40 }),
        (values) => {
          fc.pre(new Set(values).size > 1);
          const intervals = distributionOf(values, 1).intervals(20);
          const width = intervals[0]!.to - intervals[0]!.from;
          for (const [i, { from, to }] of intervals.entries()) {
            expect(to - from).toBe(width);
            if (i > 0) expect(from).toBe(intervals[i - 1]!.to);
          }
          expect(intervals[0]!.count * intervals.at(-1)!.count).toBeGreaterThan(0);
          // half the width would give too many intervals; but no interval is narrower than 1
          if (width > 1) {
            const half = (at: number) => Math.floor(at / (width / 2));
            expect(half(Math.max(...values)) - half(Math.min(...values))).toBeGreaterThanOrEqual(20);
          } else expect(width).toBe(1);
        },
      ),
    );
  });

  test('has at most 1,024 intervals for any number of values', () => {
    const distribution = new Distribution();
    for (let i = 0; i < 200_000; i += 1) distribution.add(Math.sin(i) * 1.5 ** (i % 100));
    expect(distribution.intervals(2_000).length).toBeLessThanOrEqual(1_024);
    expect(distribution.count).toBe(200_000);
  });

  test('has no intervals without values', () => {
    expect(new Distribution().intervals(10)).toEqual([]);
  });
});
