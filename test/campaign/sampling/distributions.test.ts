import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import {
  choose,
  massWithin,
  type NumericDistribution,
  quantile,
  wholeQuantile,
} from '../../../src/campaign/sampling/distributions.ts';

const bounded = fc
  .tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }), fc.constantFrom(1e-3, 1, 1e3))
  .map(([from, width, unit]) => ({ min: from * unit, max: (from + width) * unit }));
const centre = fc.record({ mean: fc.integer({ min: -1e6, max: 1e6 }), sd: fc.integer({ min: 1, max: 1e6 }) });
const numeric: fc.Arbitrary<NumericDistribution> = fc.oneof(
  bounded.map((limits) => ({ kind: 'uniform', ...limits }) as const),
  bounded.filter(({ min }) => min > 0).map((limits) => ({ kind: 'log-uniform', ...limits }) as const),
  fc
    .tuple(bounded, fc.integer({ min: 0, max: 16 }))
    .map(
      ([{ min, max }, at]) =>
        ({ kind: 'triangular', min, mode: min + ((max - min) * at) / 16, max }) as const,
    ),
  centre.map((each) => ({ kind: 'normal', ...each }) as const),
  fc
    .tuple(centre, fc.integer({ min: -40, max: 35 }), fc.integer({ min: 1, max: 20 }), fc.nat(2))
    .map(([each, from, width, sides]) => ({
      kind: 'normal' as const,
      ...each,
      ...(sides !== 1 && { min: each.mean + from * each.sd }),
      ...(sides !== 2 && { max: each.mean + (from + width) * each.sd }),
    }))
    .filter((distribution) => massWithin(distribution) > 1e-290),
);
/** A share from 0 to 1, in steps that are wider than the rounding of a value. */
const share = fc.nat(2 ** 30 - 1).map((step) => step / 2 ** 30);

describe('a quantile', () => {
  test('never decreases with the share, is between the limits, and has at most 12 digits unless it is a limit', () => {
    fc.assert(
      fc.property(numeric, share, share, (distribution, u, v) => {
        const [low, high] = [Math.min(u, v), Math.max(u, v)].map((each) => quantile(distribution, each)) as [
          number,
          number,
        ];
        expect(low).toBeLessThanOrEqual(high);
        const { min = -Infinity, max = Infinity } = distribution;
        for (const value of [low, high]) {
          expect(value).toBeGreaterThanOrEqual(min);
          expect(value).toBeLessThanOrEqual(max);
          expect([min, max, Number(value.toPrecision(12))]).toContain(value);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test.each<[NumericDistribution, mean: number, variance: number]>([
    [{ kind: 'uniform', min: -2, max: 5 }, 1.5, 49 / 12],
    [{ kind: 'log-uniform', min: 1, max: Math.E }, Math.E - 1, (Math.E ** 2 - 1) / 2 - (Math.E - 1) ** 2],
    [{ kind: 'normal', mean: 10, sd: 2 }, 10, 4],
    [{ kind: 'normal', mean: 0, sd: 1, min: 0 }, Math.sqrt(2 / Math.PI), 1 - 2 / Math.PI],
    [{ kind: 'triangular', min: 1, mode: 2, max: 6 }, 3, (1 + 4 + 36 - 2 - 6 - 12) / 18],
    [{ kind: 'triangular', min: 0, mode: 0, max: 3 }, 1, 1 / 2],
  ])(
    'of %j has, over all shares, the mean and the variance of the distribution',
    (distribution, mean, variance) => {
      const steps = 20_000;
      const values = Array.from({ length: steps }, (_, at) => quantile(distribution, (at + 0.5) / steps));
      const average = values.reduce((sum, value) => sum + value, 0) / steps;
      expect(average).toBeCloseTo(mean, 3);
      const squares = values.reduce((sum, value) => sum + (value - average) ** 2, 0) / steps;
      expect(Math.abs(squares / variance - 1)).toBeLessThan(1e-3);
    },
  );

  // these values determine the keys of points, so they may never change
  test.each<[NumericDistribution, u: number, number]>([
    [{ kind: 'uniform', min: 0, max: 1 }, 0.1, 0.1],
    [{ kind: 'uniform', min: 0.1, max: 0.7 }, 1 / 3, 0.3],
    [{ kind: 'log-uniform', min: 0.001, max: 1000 }, 0.25, 0.0316227766017],
    [{ kind: 'normal', mean: 100, sd: 15 }, 0.975, 129.399459768],
    [{ kind: 'normal', mean: 0, sd: 1 }, 0.5, 0],
    [{ kind: 'normal', mean: 1, sd: 2, min: 0, max: 4 }, 0.9, 3.25967143626],
    [{ kind: 'triangular', min: 1, mode: 2, max: 6 }, 0.05, 1.5],
    [{ kind: 'triangular', min: 1, mode: 2, max: 6 }, 0.8, 4],
  ])('of %j at %d does not change', (distribution, u, expected) => {
    expect(quantile(distribution, u)).toBe(expected);
  });

  test('of a uniform distribution does not exceed a limit with more digits than a value', () => {
    const distribution: NumericDistribution = { kind: 'uniform', min: 0, max: 1.23456789012345 };
    expect(quantile(distribution, 1 - 2 ** -53)).toBe(1.23456789012);
    expect(quantile({ ...distribution, max: 1.2345678901279 }, 1 - 2 ** -53)).toBe(1.2345678901279);
  });
});

describe('a normal quantile', () => {
  test('at 0 is finite, and lower than at any other share', () => {
    const distribution: NumericDistribution = { kind: 'normal', mean: 0, sd: 1 };
    expect(quantile(distribution, 0)).toBe(-8.29236107581);
    expect(quantile(distribution, 0)).toBeLessThan(quantile(distribution, 2 ** -53));
    expect(Number.isFinite(quantile({ ...distribution, max: -30 }, 0))).toBe(true);
  });

  test.each([
    [8, 9],
    [8, Infinity],
    [30, 31],
  ])('truncated at %d and %d sd keeps its accuracy on both sides', (from, to) => {
    const upper: NumericDistribution = { kind: 'normal', mean: 0, sd: 1, min: from, max: to };
    const lower: NumericDistribution = { kind: 'normal', mean: 0, sd: 1, min: -to, max: -from };
    const shares = Array.from({ length: 1_000 }, (_, at) => (at + 0.5) / 1_000);
    const values = shares.map((u) => quantile(upper, u));
    expect(new Set(values).size).toBe(shares.length);
    // above the limit, the density falls by a factor of about e over a distance of 1/limit, so the median is about
    // ln(2)/limit above the limit
    expect(values[499]! - from).toBeGreaterThan(0.9 * (Math.LN2 / from));
    expect(values[499]! - from).toBeLessThan(Math.LN2 / from);
    const mirrored = shares.map((u) => -quantile(lower, 1 - u));
    for (const [at, value] of values.entries())
      expect(Math.abs(mirrored[at]! / value - 1)).toBeLessThan(1e-10);
  });

  test('does not exist if it is truncated to a range without probability', () => {
    const distribution = { kind: 'normal', mean: 0, sd: 1, min: 40, max: 41 } as const;
    expect(massWithin(distribution)).toBe(0);
    expect(() => quantile(distribution, 0.5)).toThrow(RangeError);
  });
});

describe('a whole number', () => {
  const shares = Array.from({ length: 6_000 }, (_, at) => (at + 0.5) / 6_000);

  test('of a uniform distribution is each whole number between the limits equally often', () => {
    const found = new Map<number, number>();
    for (const u of shares) {
      const value = wholeQuantile({ kind: 'uniform', min: 0.5, max: 6.2 }, u);
      found.set(value, (found.get(value) ?? 0) + 1);
    }
    expect([...found]).toEqual([1, 2, 3, 4, 5, 6].map((value) => [value, 1_000]));
  });

  test('has all its digits', () => {
    const distribution: NumericDistribution = { kind: 'uniform', min: 9e15, max: 9e15 + 3 };
    expect([0, 0.25, 0.5, 1 - 2 ** -53].map((u) => wholeQuantile(distribution, u))).toEqual([
      9e15,
      9e15 + 1,
      9e15 + 2,
      9e15 + 3,
    ]);
  });

  test('is the whole number between the limits that is nearest to the quantile', () => {
    fc.assert(
      fc.property(numeric, share, (distribution, u) => {
        fc.pre(distribution.kind !== 'uniform');
        const { min = -Infinity, max = Infinity } = distribution;
        fc.pre(Math.ceil(min) <= Math.floor(max));
        const [value, whole] = [quantile(distribution, u), wholeQuantile(distribution, u)];
        expect(Number.isInteger(whole)).toBe(true);
        expect(whole).toBeGreaterThanOrEqual(min);
        expect(whole).toBeLessThanOrEqual(max);
        const isAtEnd = whole === Math.ceil(min) || whole === Math.floor(max);
        expect(Math.abs(whole - value)).toBeLessThanOrEqual(isAtEnd ? 1 : 0.5);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a choice', () => {
  const values = ['a', 'b', 'c', 'd'];
  const counted = (weights?: number[]): number[] => {
    const found = Array.from({ length: 8_000 }, (_, at) =>
      choose({ kind: 'choice', values, ...(weights && { weights }) }, (at + 0.5) / 8_000),
    );
    // the values come in their order, so neighbouring shares give neighbouring values
    expect(found).toEqual(found.toSorted());
    return values.map((value) => found.filter((each) => each === value).length);
  };

  test('without weights takes each value equally often', () => {
    expect(counted()).toEqual([2_000, 2_000, 2_000, 2_000]);
  });

  test('follows the weights, and never takes a value of weight 0', () => {
    expect(counted([1, 0, 5, 2])).toEqual([1_000, 0, 5_000, 2_000]);
    expect(counted([0, 0.3, 0.5, 0])).toEqual([0, 3_000, 5_000, 0]);
  });

  test('is the first value with a weight above 0 at the lowest share, and the last such value at the highest share', () => {
    const weight = fc.oneof(fc.constant(0), fc.double({ min: 1e-3, max: 1e3, noNaN: true }));
    fc.assert(
      fc.property(fc.array(weight, { minLength: 1, maxLength: 8 }), (weights) => {
        fc.pre(weights.some((each) => each > 0));
        const names = weights.map((_, at) => String(at));
        const chosen = [0, 1 - 2 ** -53].map((u) =>
          Number(choose({ kind: 'choice', values: names, weights }, u)),
        );
        expect(chosen).toEqual([
          weights.findIndex((each) => each > 0),
          weights.findLastIndex((each) => each > 0),
        ]);
      }),
    );
  });
});
