import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { quantile } from '../../src/statistics/quantile.ts';

const anySample = fc
  .array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 })
  .map((values) => values.sort((a, b) => a - b));
const anyP = fc.double({ min: 0, max: 1, noNaN: true });

describe('a quantile of a sample', () => {
  test('is that of R', () => {
    // R: quantile(c(1, 2, 4, 8, 16), c(0, 0.1, 0.25, 0.5, 0.9, 1))
    const sample = [1, 2, 4, 8, 16];
    const found = [0, 0.1, 0.25, 0.5, 0.9, 1].map((p) => quantile(sample, p));
    for (const [at, expected] of [1, 1.4, 2, 4, 12.8, 16].entries())
      expect(found[at]).toBeCloseTo(expected, 12);
  });

  test('lies between the ends, and is the higher the higher its probability', () => {
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

  test('of values that are not finite is not made up', () => {
    expect(quantile([-Infinity, 0, Infinity], 0)).toBe(-Infinity);
    expect(quantile([Infinity, Infinity], 0.5)).toBe(Infinity);
  });

  test('of nothing, or at no probability, there is none', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
    for (const p of [-0.1, 1.1, NaN]) expect(() => quantile([1], p)).toThrow(RangeError);
  });
});
