import { describe, expect, test } from '@jest/globals';
import {
  areEqual,
  areSame,
  cancelsChance,
  chanceVariance,
  chosenVariance,
  confidenceAmong,
  grown,
  hidesChance,
  isLower,
  squaredJumpOf,
  leastVariance,
  spreadOf,
  SURE,
} from '../../src/statistics/chance.ts';
import { wilsonInterval } from '../../src/statistics/share.ts';
import fc from '../support/fast-check.ts';

const repeated = (value: number, count: number): number[] => Array.from({ length: count }, () => value);

describe('the most frequent value', () => {
  test('is counted in any order', () => {
    const values = fc.array(fc.constantFrom(0, 7), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(values, (own) => {
        const zeros = own.filter((value) => value === 0).length;
        const [value, count] = 2 * zeros > own.length ? [0, zeros] : [7, own.length - zeros];
        const expected = 2 * count > own.length ? { value, count } : null;
        expect(spreadOf(own).majority).toEqual(expected);
        expect(spreadOf(own.toReversed()).majority).toEqual(expected);
      }),
    );
  });

  test('is the same in any order of several values', () => {
    const values = fc
      .array(fc.constantFrom(0, 0, 0, 0, 5, 7, 9), { minLength: 1, maxLength: 30 })
      .chain((own) => fc.tuple(fc.constant(own), fc.shuffledSubarray(own, { minLength: own.length })));
    fc.assert(
      fc.property(values, ([own, shuffled]) => {
        expect(spreadOf(shuffled).majority).toEqual(spreadOf(own).majority);
      }),
    );
    const rare = [5, 7, ...repeated(0, 8)];
    expect(spreadOf(rare).majority).toEqual({ value: 0, count: 8 });
    expect([hidesChance(spreadOf(rare)), hidesChance(spreadOf(rare.toReversed()))]).toEqual([true, true]);
  });

  test('does not exist beside more than 99 rare values, wherever they come', () => {
    const rare = Array.from({ length: 100 }, (_, at) => at + 1);
    const zeros = repeated(0, 900);
    expect(spreadOf([...rare.slice(1), ...zeros]).majority).toEqual({ value: 0, count: 900 });
    expect(spreadOf([...rare, ...zeros]).majority).toBeNull();
    expect(spreadOf([...zeros, ...rare]).majority).toBeNull();
  });

  test('does not exist among different values', () => {
    expect(spreadOf([1, 2, 3, 4]).majority).toBeNull();
    expect(spreadOf([1, 1, 2, 2]).majority).toBeNull();
    expect(spreadOf([]).majority).toBeNull();
  });
});

test('numbers are the same if only rounding tells them apart', () => {
  expect(areSame(0.1 + 0.2, 0.3)).toBe(true);
  expect([isLower(0.3, 0.1 + 0.2), isLower(0.1 + 0.2, 0.3), isLower(0.3, 0.301)]).toEqual([
    false,
    false,
    true,
  ]);
  expect([areSame(0, 1e-15), isLower(0, 1e-15), isLower(1, Infinity)]).toEqual([false, true, true]);
});

test('the skewness of a sample is its third central moment in standard deviations', () => {
  // SciPy 1.17: stats.skew
  expect(spreadOf([1, 2, 2.5, 3, 9, 4, 1.5, 2.2]).skewness).toBeCloseTo(1.7237856, 6);
  expect(spreadOf([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 20]).skewness).toBeCloseTo(0.3592585, 6);
  for (const values of [[], [3], [1, 2], [5, 5, 5], [1e-170, 2e-170, 4e-170], [1e200, 2e200, 9e200]])
    expect(spreadOf(values).skewness).toBeCloseTo(0, 9);
});

test('the squared jump is the mean square of the distance of the rare values from the frequent one', () => {
  // (50 - 0)² and (10 - 0)²: the mean is 1,300
  expect(squaredJumpOf(spreadOf([0, 0, 50, 0, 10, 0]))).toBeCloseTo(1_300, 9);
  expect(squaredJumpOf(spreadOf([3, 3, 3]))).toBeNull();
  // without a frequent value it is twice the variance, 2 · 1
  expect(squaredJumpOf(spreadOf([1, 2, 3]))).toBeCloseTo(2, 12);
});

test('for zeros and ones, an interval with the least variance reaches as far as Wilson’s interval', () => {
  for (const [count, ones] of [
    [10, 0],
    [10, 1],
    [50, 2],
    [200, 3],
    [300, 40],
  ] as const) {
    const { share, low, high } = wilsonInterval(ones / count, count, 0.95);
    const half = 1.959963984540054 * Math.sqrt(leastVariance(count, ones) / count);
    expect(half).toBeCloseTo(Math.max(high - share, share - low), 12);
  }
  // Wilson's interval of 0 in 10 ends at 0.2775 (R: prop.test without the correction), and z is 1.96
  expect(Math.sqrt(leastVariance(10, 0))).toBeCloseTo((0.27753 * Math.sqrt(10)) / 1.95996, 4);
});

describe('the variance of values', () => {
  test('is that of the sample if no value is frequent', () => {
    expect(chanceVariance(spreadOf([1, 2, 3, 6]))).toBeCloseTo(14 / 3, 12);
  });

  test('is unknown for a few equal values, and 0 for very many', () => {
    expect(chanceVariance(spreadOf([0]))).toBeNull();
    expect(chanceVariance(spreadOf(repeated(0, 12)))).toBeNull();
    expect(chanceVariance(spreadOf(repeated(0.25, SURE - 1)))).toBeNull();
    expect(chanceVariance(spreadOf(repeated(0.25, SURE)))).toBe(0);
  });

  test('is unknown while the rare values are too few to show how far they jump', () => {
    expect(chanceVariance(spreadOf([0, 0, 0, 0, 5]))).toBeNull();
    expect(chanceVariance(spreadOf([...repeated(0, 30), 5, 9, 2]))).toBeNull();
    expect(hidesChance(spreadOf([0, 0, 5, 0, 5]))).toBe(false);
    expect(
      hidesChance(spreadOf([...repeated(0, 30), ...Array.from({ length: 10 }, (_, at) => at + 1)])),
    ).toBe(false);
  });

  test('is unknown if the squares of the differences are too small or too large for a number', () => {
    for (const size of [1e-170, 1e200])
      expect(chanceVariance(spreadOf([size, 2 * size, 3 * size, 5 * size]))).toBeNull();
  });

  test('uses a jump that is known from other values', () => {
    expect(chanceVariance(spreadOf([4, 4, 4]), 100)).toBeCloseTo(100 * leastVariance(3, 0), 12);
  });

  test('of two values is at least that of the sample', () => {
    const counts = fc.tuple(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 3, max: 200 }));
    fc.assert(
      fc.property(counts, ([rare, frequent]) => {
        const sample = spreadOf([...repeated(0, frequent), ...repeated(50, rare)]);
        expect(chanceVariance(sample)).toBeGreaterThanOrEqual(sample.variance!);
      }),
    );
  });
});

test('more values have the same mean and shares', () => {
  const sample = spreadOf([0, 0, 0, 2, 2]);
  expect(grown(sample, 10)).toEqual({
    count: 10,
    mean: expect.closeTo(0.8, 12),
    variance: sample.variance,
    majority: { value: 0, count: 6 },
  });
  expect(areEqual(grown(spreadOf([1, 1, 1]), 7))).toBe(true);
});

test('the interval of a chosen point holds together with those of all points, and is no narrower than those of the next points', () => {
  expect(confidenceAmong(1, 0.95)).toBeCloseTo(0.95, 12);
  expect(confidenceAmong(50, 0.95)).toBeCloseTo(0.999, 12);
  expect(chosenVariance(1, [4, null, 6])).toBe(5);
  expect(chosenVariance(9, [4, 6])).toBe(9);
  expect(chosenVariance(2, [])).toBe(2);
});

describe('equal differences with common random numbers', () => {
  test.each<[boolean, string, number[]]>([
    [false, 'one value', [0.123456789]],
    [false, 'two counts', [2, 3]],
    [false, 'four small counts', [1, 2, 3, 4]],
    [false, 'two values with few decimals', [0.31, -1.2]],
    [false, 'values of which two are equal', [0.123456789, 7.987654321, 0.123456789]],
    [false, 'decimals with rounding errors', [0.1 + 0.2, 0.7 + 0.1]],
    [true, 'two values with many digits', [0.123456789, 7.987654321]],
    [true, 'four values with two decimals', [0.31, -1.2, 0.77, 2.1]],
    [true, 'large counts', [12_345, 987_654]],
    [true, 'tiny values', [1.23456789e-12, 9.87654321e-12]],
  ])('are sure: %s, if the values of a point are %s', (isSure, _, values) => {
    expect(cancelsChance([values])).toBe(isSure);
  });
});
