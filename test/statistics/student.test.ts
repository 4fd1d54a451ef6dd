import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { normalQuantile } from '../../src/statistics/normal.ts';
import { studentQuantile } from '../../src/statistics/student.ts';

/** How far a value is from the expected value, relative to the expected value. */
function error(value: number, expected: number): number {
  return Math.abs(value / expected - 1);
}

const anyProbability = fc.oneof(
  fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true }),
  fc.double({ min: 1e-300, max: 1e-3, noNaN: true }),
);
const anyFreedom = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.double({ min: 1, max: 1e8, noNaN: true }));

describe('the quantile of Student’s t', () => {
  // the values are in M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, table 26.10
  test.each([
    [0.975, 1, '12.706'],
    [0.975, 4, '2.776'],
    [0.995, 10, '3.169'],
    [0.9, 30, '1.310'],
    [0.975, 120, '1.980'],
  ])('at %d with %i degrees of freedom equals the table', (p, freedom, expected) => {
    expect(studentQuantile(p, freedom).toFixed(3)).toBe(expected);
  });

  test('follows the formula with 1 and 2 degrees of freedom', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-300, max: 0.499999, noNaN: true }), (p) => {
        // the two formulas are equal, and each one loses no digits of p in its range
        const one = p < 0.25 ? -1 / Math.tan(Math.PI * p) : Math.tan(Math.PI * (p - 0.5));
        expect(error(studentQuantile(p, 1), one)).toBeLessThan(1e-12);
        const spread = 4 * p * (1 - p);
        expect(error(studentQuantile(p, 2), (2 * (p - 0.5) * Math.SQRT2) / Math.sqrt(spread))).toBeLessThan(
          1e-12,
        );
      }),
    );
  });

  test('changes only its sign from p to 1 - p, and rises with the probability', () => {
    expect(studentQuantile(0.5, 3)).toBe(0);
    fc.assert(
      fc.property(anyProbability, anyFreedom, (p, freedom) => {
        const here = studentQuantile(p, freedom);
        // 1 - p has all digits of p only between 1/4 and 3/4
        if (p >= 0.25 && p <= 0.75) expect(studentQuantile(1 - p, freedom)).toBeCloseTo(-here, 12);
        expect(Math.sign(here)).toBe(Math.sign(p - 0.5));
        if (p < 0.99) expect(studentQuantile(p * 1.001, freedom)).toBeGreaterThan(here);
      }),
    );
  });

  test('falls with the degrees of freedom towards the quantile of the normal distribution', () => {
    fc.assert(
      fc.property(anyProbability, anyFreedom, (p, freedom) => {
        fc.pre(Math.abs(p - 0.5) > 1e-3);
        const size = Math.abs(studentQuantile(p, freedom));
        expect(Math.abs(studentQuantile(p, freedom * 1.01))).toBeLessThan(size);
        expect(size).toBeGreaterThan(Math.abs(normalQuantile(p)));
      }),
    );
    expect(error(studentQuantile(0.975, 1e9), normalQuantile(0.975))).toBeLessThan(2e-9);
  });

  test('is an error for an invalid probability or number of degrees of freedom', () => {
    for (const p of [0, 1, -0.1, NaN]) expect(() => studentQuantile(p, 3)).toThrow(RangeError);
    for (const freedom of [0, 0.5, NaN, Infinity])
      expect(() => studentQuantile(0.9, freedom)).toThrow(RangeError);
  });
});
