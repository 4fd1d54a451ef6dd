import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { estimateOf } from '../../../src/campaign/precision.ts';
import { confidenceOf, MeanOfPoints, overPoints, ShareOfPoints } from '../../../src/report/summary/mean.ts';
import { spreadOf } from '../../../src/statistics/chance.ts';
import { wilsonInterval } from '../../../src/statistics/share.ts';
import { studentQuantile } from '../../../src/statistics/student.ts';
import { uniforms } from '../../support/uniforms.ts';

// six decimals, because the squares of smaller differences would underflow
const number = fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => Number(value.toFixed(6)));
const replications = fc.array(number, { minLength: 2, maxLength: 8 });

function meanOf(points: readonly (readonly number[])[]): MeanOfPoints {
  const mean = new MeanOfPoints();
  for (const values of points) mean.add(spreadOf(values));
  return mean;
}

describe('the mean over points', () => {
  test('of one point has the usual interval', () => {
    fc.assert(
      fc.property(replications, fc.constantFrom(0.9, 0.95, 0.99), (values, confidence) => {
        const { mean, low, high } = meanOf([values]).interval(confidence, 'independent');
        const estimate = estimateOf(spreadOf(values), { relative: null, absolute: null, confidence });
        expect(mean).toBe(estimate.mean);
        if (estimate.low === null) return expect(low).toBeNull();
        const half = (estimate.high! - estimate.low) / 2;
        expect(Math.abs(low! - estimate.low)).toBeLessThanOrEqual(1e-9 * (half + Math.abs(mean)));
        expect(Math.abs(high! - estimate.high!)).toBeLessThanOrEqual(1e-9 * (half + Math.abs(mean)));
      }),
    );
  });

  test('is the same for separate and for joined points', () => {
    fc.assert(
      fc.property(fc.array(replications, { minLength: 2, maxLength: 6 }), fc.nat(5), (points, at) => {
        const cut = at % points.length;
        const joined = meanOf(points.slice(0, cut));
        joined.join(meanOf(points.slice(cut)));
        const [one, other] = [
          meanOf(points).interval(0.95, 'independent'),
          joined.interval(0.95, 'independent'),
        ];
        const scale = Math.abs(one.mean) + one.high! - one.low! + 1e-9;
        for (const key of ['mean', 'low', 'high'] as const)
          expect(Math.abs(one[key]! - other[key]!) / scale).toBeLessThan(1e-6);
      }),
    );
  });

  test('counts a point as often as the design has it', () => {
    const mean = new MeanOfPoints();
    mean.add({ count: 4, mean: 10, variance: 4, majority: null }, 3);
    mean.add({ count: 2, mean: 30, variance: 18, majority: null }, 1);
    const { mean: value, low, high } = mean.interval(0.95, 'independent');
    expect([value, mean.weight, mean.count]).toEqual([15, 4, 2]);
    // the variance of the mean is (3² × 4/4 + 18/2) / 4², with (9 + 9)² / (9²/3 + 9²/1) = 3 degrees of freedom
    const half = studentQuantile(0.975, 3) * Math.sqrt(18 / 16);
    expect(low).toBeCloseTo(15 - half, 10);
    expect(high).toBeCloseTo(15 + half, 10);
    const share = new ShareOfPoints();
    share.add({ count: 30, mean: 0.2, variance: null, majority: null }, 3);
    share.add({ count: 10, mean: 0.2, variance: null, majority: null }, 1);
    // 3 × 10 and 10 runs of equal weight
    const wilson = wilsonInterval(0.2, 40, 0.95);
    const interval = share.interval(0.95, 'independent');
    expect(interval.mean).toBeCloseTo(0.2, 12);
    expect(interval.low).toBeCloseTo(wilson.low, 2);
    expect(interval.high).toBeCloseTo(wilson.high, 2);
  });

  test('of several points has Welch’s degrees of freedom', () => {
    // The variances of the means are 4/4 = 1 and 18/2 = 9. So there are 10² / (1²/3 + 9²/1) = 1.2 degrees of freedom.
    const mean = new MeanOfPoints();
    mean.add({ count: 4, mean: 10, variance: 4, majority: null });
    mean.add({ count: 2, mean: 30, variance: 18, majority: null });
    const { low, high } = mean.interval(0.95, 'independent');
    const error = Math.sqrt(10) / 2;
    expect((high! + low!) / 2).toBeCloseTo(20, 10);
    // the 0.975 quantile of t is 12.7062 with 1 degree of freedom, and 4.3027 with 2
    expect((high! - 20) / error).toBeGreaterThan(4.3027);
    expect((high! - 20) / error).toBeLessThan(12.7062);
  });

  test('has no interval without replications, or over several points with common seeds', () => {
    const none = { low: null, high: null };
    expect(meanOf([[1, 2], [3]]).interval(0.95, 'independent')).toEqual({ mean: 2.25, ...none });
    expect(
      meanOf([
        [1, 2],
        [3, 5],
      ]).interval(0.95, 'common'),
    ).toEqual({ mean: 2.75, ...none });
    expect(meanOf([[1, 2]]).interval(0.95, 'common').low).not.toBeNull();
  });

  test('has no interval if the values of each point are equal, and a point with equal values may have the jumps of others', () => {
    const equal = [2, 2, 2];
    expect(meanOf([equal, [4, 4]]).interval(0.95, 'independent')).toEqual({ mean: 3, low: null, high: null });
    const widthOf = (points: readonly number[][]): number => {
      const { low, high } = meanOf(points).interval(0.95, 'independent');
      return high! - low!;
    };
    const others = [
      [0, 3, 6],
      [1, 4, 8],
    ];
    expect(widthOf([equal, ...others])).toBeGreaterThan((2 / 3) * widthOf(others));
  });

  test('of values whose sum is beyond the largest number is no infinity', () => {
    const large = new MeanOfPoints();
    for (const value of [1.2e308, 1.7e308, 1e308]) large.add(spreadOf([value]));
    expect(large.mean / 1.3e308).toBeCloseTo(1, 12);
    const other = new MeanOfPoints();
    other.add(spreadOf([-1.7e308]));
    other.join(large);
    expect(other.mean / 5.5e307).toBeCloseTo(1, 12);
  });

  test('of very large and very small values is no error', () => {
    for (const size of [1e-100, 1e100]) {
      const { low, mean, high } = meanOf([
        [size, 2 * size],
        [3 * size, 5 * size, size],
      ]).interval(0.95, 'independent');
      expect(low! < mean && mean < high!).toBe(true);
    }
    // the variance of these values is too large for a number
    expect(meanOf([[1e300, 2e300]]).interval(0.95, 'independent')).toEqual({
      mean: 1.5e300,
      low: null,
      high: null,
    });
    const partly = meanOf([
      [1, 2],
      [1e300, 2e300],
    ]).interval(0.95, 'independent');
    expect([partly.low, partly.high]).toEqual([null, null]);
  });
});

test("the confidence is the campaign's, or 95 %", () => {
  const precision = { min: 2, max: 9, outputs: ['A'], relative: 0.1, absolute: null, confidence: 0.9 };
  expect([confidenceOf({ precision }), confidenceOf({ precision: null })]).toEqual([0.9, 0.95]);
});

describe('the share over points', () => {
  const shareOf = (points: readonly (readonly number[])[]): ShareOfPoints => {
    const share = new ShareOfPoints();
    for (const values of points) share.add(spreadOf(values));
    return share;
  };
  const truths = (n: number, count: number) => Array.from({ length: n }, (_, at) => Number(at < count));

  test('of one point has Wilson’s interval, even with one replication', () => {
    for (const [n, count] of [
      [1, 0],
      [1, 1],
      [10, 0],
      [10, 3],
      [40, 40],
    ] as const) {
      const { mean, low, high } = shareOf([truths(n, count)]).interval(0.95, 'independent');
      const wilson = wilsonInterval(count / n, n, 0.95);
      expect(mean).toBeCloseTo(wilson.share, 12);
      expect(low).toBeCloseTo(wilson.low, 12);
      expect(high).toBeCloseTo(wilson.high, 12);
    }
  });

  test('has the interval of all runs together if the points are similar, and otherwise a narrower one', () => {
    const alike = shareOf(Array.from({ length: 5 }, () => truths(10, 2))).interval(0.95, 'independent');
    const { low, high } = wilsonInterval(0.2, 50, 0.95);
    expect([alike.low, alike.high]).toEqual([expect.closeTo(low, 12), expect.closeTo(high, 12)]);
    const apart = shareOf([truths(20, 0), truths(20, 20)]).interval(0.95, 'independent');
    const together = wilsonInterval(0.5, 40, 0.95);
    expect(apart.low).toBeGreaterThan(together.low);
    expect(apart.high).toBeLessThan(together.high);
    // the interval still has a width, because the shares of the two points are uncertain
    expect(apart.high! - apart.low!).toBeGreaterThan(0.05);
  });

  test('is not narrower than that of all runs if all points have a share of one half', () => {
    const truthsOf = (counts: number[], runs: number) => shareOf(counts.map((count) => truths(runs, count)));
    // the numbers of true runs at eight points as a binomial distribution has them
    for (const [share, runs] of [
      [truthsOf([0, 1, 1, 1, 2, 2, 2, 3], 3), 24],
      [truthsOf([0, 1, 0, 1], 1), 4],
      [truthsOf([0, 1, 1, 2], 2), 8],
    ] as const) {
      const { low, high } = share.interval(0.95, 'independent');
      const all = wilsonInterval(0.5, runs, 0.95);
      expect([low, high]).toEqual([expect.closeTo(all.low, 12), expect.closeTo(all.high, 12)]);
    }
  });

  test('contains the mean of the shares at least as often as the confidence says', () => {
    const uniform = uniforms(4);
    const chances = [0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.99];
    const known = chances.reduce((a, b) => a + b) / chances.length;
    let inside = 0;
    for (let trial = 0; trial < 2_000; trial += 1) {
      const drawn = chances.map((chance) => Array.from({ length: 8 }, () => Number(uniform() < chance)));
      const { low, high } = shareOf(drawn).interval(0.95, 'independent');
      if (low! <= known && known <= high!) inside += 1;
    }
    // two standard deviations of the share 0.95 are 0.01
    expect(inside / 2_000).toBeGreaterThan(0.94);
  });

  test('has no interval without chance, and over several points with common seeds, and can be joined', () => {
    const none = { mean: 0.5, low: null, high: null };
    expect(shareOf([[1], [0]]).interval(0.95, 'common')).toEqual(none);
    expect(shareOf([[1], [0]]).interval(0.95, 'none')).toEqual(none);
    expect(shareOf([[1]]).interval(0.95, 'none')).toEqual({ ...none, mean: 1 });
    const joined = shareOf([[1, 0, 0]]);
    joined.join(shareOf([[1, 1]]));
    expect(joined.interval(0.95, 'independent')).toEqual(
      shareOf([
        [1, 0, 0],
        [1, 1],
      ]).interval(0.95, 'independent'),
    );
  });
});

test('a quantile has an interval at a single point only, and a given interval of one point stays', () => {
  const quantile = overPoints('quantile');
  quantile.add({ count: 9, mean: 3, variance: null, majority: null, low: 1, high: 8 });
  expect(quantile.interval(0.95, 'independent')).toEqual({ mean: 3, low: 1, high: 8 });
  // a given interval of a mean counts for one point
  const mean = new MeanOfPoints();
  mean.add({ count: 2, mean: 3, variance: 2, majority: null, low: 0, high: 6 });
  expect(mean.interval(0.95, 'independent')).toEqual({ mean: 3, low: 0, high: 6 });
  quantile.add({ count: 9, mean: 5, variance: null, majority: null, low: 2, high: 9 });
  expect(quantile.interval(0.95, 'independent')).toEqual({ mean: 4, low: null, high: null });
});
