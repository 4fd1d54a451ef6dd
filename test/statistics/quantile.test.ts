import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { uniforms } from '../support/uniforms.ts';
import { quantile, quantileDifference, quantileInterval } from '../../src/statistics/quantile.ts';

const anySample = fc
  .array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 })
  .map((values) => values.sort((a, b) => a - b));
const anyP = fc.double({ min: 0, max: 1, noNaN: true });

describe('a quantile of a sample', () => {
  test('equals the quantile of R', () => {
    // the values come from R: quantile(c(1, 2, 4, 8, 16), c(0, 0.1, 0.25, 0.5, 0.9, 1))
    const sample = [1, 2, 4, 8, 16];
    const found = [0, 0.1, 0.25, 0.5, 0.9, 1].map((p) => quantile(sample, p));
    for (const [at, expected] of [1, 1.4, 2, 4, 12.8, 16].entries())
      expect(found[at]).toBeCloseTo(expected, 12);
  });

  test('does not fall with its probability, and is the first value at 0 and the last value at 1', () => {
    fc.assert(
      fc.property(anySample, anyP, anyP, (sample, p, q) => {
        const [low, high] = [quantile(sample, Math.min(p, q)), quantile(sample, Math.max(p, q))];
        const slack = 1e-9 * Math.max(1, Math.abs(low));
        expect(low).toBeLessThanOrEqual(high + slack);
        expect(quantile(sample, 0)).toBe(sample[0]);
        expect(quantile(sample, 1)).toBe(sample.at(-1));
      }),
    );
  });

  test('can be infinite if values are infinite', () => {
    expect(quantile([-Infinity, 0, Infinity], 0)).toBe(-Infinity);
    expect(quantile([Infinity, Infinity], 0.5)).toBe(Infinity);
  });

  test('is finite even if the difference of two values overflows', () => {
    expect(quantile([-1.7e308, 1.7e308], 0.5)).toBe(0);
    expect(quantile([-1.7e308, 1.7e308], 0.75)).toBeCloseTo(0.85e308, -300);
  });

  test('is an error without values, and for an invalid probability', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
    for (const p of [-0.1, 1.1, NaN]) expect(() => quantile([1], p)).toThrow(RangeError);
  });
});

describe('the interval of a quantile', () => {
  const upTo = (n: number) => Array.from({ length: n }, (_, at) => at + 1);

  // the ranks are in W. J. Conover, Practical Nonparametric Statistics, and in tables of the sign test for 95 %
  test.each([
    [6, 1, 6],
    [10, 2, 9],
    [20, 6, 15],
    [35, 12, 24],
    [100, 40, 61],
  ])('equals the published interval for the median of %d values', (n, low, high) => {
    expect(quantileInterval(upTo(n), 0.5, 0.95)).toEqual({ low, high });
  });

  test('does not exist with too few values', () => {
    expect(quantileInterval([], 0.5, 0.95)).toBeNull();
    expect(quantileInterval(upTo(5), 0.5, 0.95)).toBeNull();
    // all 35 values are below the quantile with the probability 0.9 ** 35, which is more than 2.5 %
    expect(quantileInterval(upTo(35), 0.9, 0.95)).toBeNull();
    expect(quantileInterval(upTo(36), 0.9, 0.95)).toEqual({ low: 29, high: 36 });
  });

  test('mirrors the interval of the other tail, also with very many values', () => {
    for (const n of [40, 1_000, 100_000]) {
      const [low, high] = [0.1, 0.9].map((p) => quantileInterval(upTo(n), p, 0.95)!);
      expect([high!.low, high!.high]).toEqual([n + 1 - low!.high, n + 1 - low!.low]);
    }
  });

  test('contains the quantile at least as often as the confidence says', () => {
    const uniform = uniforms(11);
    let inside = 0;
    for (let trial = 0; trial < 2_000; trial += 1) {
      const values = Array.from({ length: 50 }, uniform).sort((a, b) => a - b);
      const { low, high } = quantileInterval(values, 0.8, 0.95)!;
      if (low <= 0.8 && 0.8 <= high) inside += 1;
    }
    // two standard deviations of the share 0.95 are 0.01
    expect(inside / 2_000).toBeGreaterThan(0.94);
  });

  test('of a difference excludes 0 for very different samples, contains 0 for equal samples, and does not exist with too few values', () => {
    const [a, b] = [upTo(100), upTo(100).map((value) => value + 50)];
    expect(quantileDifference(a, b, 0.5, 0.95)).toMatchObject({ difference: 50 });
    expect(quantileDifference(a, b, 0.5, 0.95).low).toBeGreaterThan(0);
    expect(quantileDifference(a, upTo(100), 0.5, 0.95).low).toBeLessThan(0);
    expect(quantileDifference(a, [1], 0.5, 0.95)).toEqual({ difference: -49.5, low: null, high: null });
  });
});
