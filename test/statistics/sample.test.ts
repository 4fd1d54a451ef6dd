import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { halfWidth, meanOf, Sample } from '../../src/statistics/sample.ts';

function sampleOf(values: readonly number[]): Sample {
  const sample = new Sample();
  for (const value of values) sample.add(value);
  return sample;
}

describe('a sample', () => {
  test('has the mean and variance of its values', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 2 }), (values) => {
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
        const sample = sampleOf(values);
        expect(sample.count).toBe(values.length);
        expect(sample.mean).toBeCloseTo(mean, 9);
        expect(Math.abs(sample.variance! - variance)).toBeLessThanOrEqual(1e-12 * variance + 1e-15);
      }),
    );
  });

  test('is accurate if the values are far from 0 or equal', () => {
    expect(sampleOf([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]).variance).toBe(30);
    expect(sampleOf(new Array<number>(7).fill(0.1))).toMatchObject({ mean: 0.1, variance: 0 });
  });

  test('has the mean 0 if its decimals cancel, and otherwise the mean that it has, however small', () => {
    const decimals = fc.array(fc.integer({ min: -999, max: 999 }), { minLength: 1 });
    fc.assert(
      fc.property(decimals, fc.integer({ min: -9, max: 9 }), (thousandths, exponent) => {
        const values = thousandths.map((one) => Number(`${one}e${exponent}`));
        const rest = -thousandths.reduce((sum, one) => sum + one, 0);
        expect(sampleOf([...values, Number(`${rest}e${exponent}`)]).mean).toBeCloseTo(0, 300);
      }),
    );
    expect(sampleOf([1e-9, 3e-9]).mean).toBeCloseTo(2e-9, 24);
    expect(sampleOf([1e6, -1e6, 0.003]).mean).toBeCloseTo(0.001, 9);
    expect(sampleOf([1e-300]).mean).toBe(1e-300);
  });

  test('has the mean of values whose difference overflows', () => {
    expect(sampleOf([1.7e308, -1.7e308]).mean).toBe(0);
    expect(sampleOf([-1.5e308, 1.2e308, 1.2e308]).mean! / 3e307).toBeCloseTo(1, 12);
    expect(sampleOf([1.7e308, -1.7e308, 1.7e308]).variance).toBe(Infinity);
  });

  test('has the variance 0 with one value, and neither mean nor variance without values', () => {
    const sample = sampleOf([3]);
    expect(sample).toMatchObject({ count: 1, mean: 3, variance: 0 });
    sample.reset();
    expect(sample).toMatchObject({ count: 0, mean: null, variance: null });
  });
});

test('the mean of zeros and ones is exactly their share in any order, and the mean of equal values is their value', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1 }), (values) => {
      expect(meanOf(values)).toBe(values.filter((value) => value === 1).length / values.length);
      expect(sampleOf(values).mean).toBe(meanOf(values));
      expect(sampleOf(values).sum).toBe(values.filter((value) => value === 1).length);
    }),
  );
  // by a running mean, the second one is 0.33333333333333337
  expect([sampleOf([0, 0, 1]).mean, sampleOf([0, 1, 0]).mean]).toEqual([1 / 3, 1 / 3]);
  expect(sampleOf([0.5, 1, 3]).sum).toBeCloseTo(4.5, 12);
  expect(meanOf(new Array<number>(10).fill(0.1))).toBe(0.1);
  expect(meanOf([2 ** 53, 2 ** 53, 2 ** 53])).toBe(2 ** 53);
});

describe('half the interval of a mean', () => {
  test('follows Student’s t', () => {
    // the additional hours of sleep of ten patients: Student, "The probable error of a mean", Biometrika 6 (1908) 1-25
    const hours = sampleOf([1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4]);
    const half = halfWidth(10, Math.sqrt(hours.variance!), 0.95);
    expect(hours.mean! - half).toBeCloseTo(0.7001142, 7);
    expect(hours.mean! + half).toBeCloseTo(2.4598858, 7);
  });

  test('is an error with fewer than two values', () => {
    expect(() => halfWidth(1, 0, 0.95)).toThrow(RangeError);
  });
});
