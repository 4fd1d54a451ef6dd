import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { normalCdf, normalQuantile } from '../../src/statistics/normal.ts';

/** How far a value is from an expected value, divided by the expected value. */
const off = (value: number, of: number): number => Math.abs(value / of - 1);

describe('normalCdf', () => {
  // the values come from mpmath 1.3 with 40 digits
  test.each([
    [-37, 5.725571222524577e-300],
    [-20, 2.753624118606234e-89],
    [-8, 6.220960574271784e-16],
    [-3, 0.0013498980316300946],
    [-1.5, 0.06680720126885807],
    [-1, 0.15865525393145705],
    [-0.1, 0.460172162722971],
    [0, 0.5],
    [0.5, 0.6914624612740131],
    [2, 0.9772498680518208],
    [6, 0.9999999990134123],
  ])('has the known value at %d', (x, expected) => {
    expect(off(normalCdf(x), expected)).toBeLessThan(2e-15);
  });

  test('is 0 or 1 where a double cannot have the exact value', () => {
    expect([-Infinity, -1e308, -40].map(normalCdf)).toEqual([0, 0, 0]);
    expect([40, 1e308, Infinity].map(normalCdf)).toEqual([1, 1, 1]);
  });

  test('never falls by more than its rounding error', () => {
    const x = fc.double({ min: -37, max: 37, noNaN: true });
    fc.assert(
      fc.property(x, x, (a, b) => {
        expect(normalCdf(Math.min(a, b))).toBeLessThanOrEqual(normalCdf(Math.max(a, b)) * (1 + 4e-15));
      }),
    );
  });
});

describe('normalQuantile', () => {
  // the values come from scipy 1.15.3, and from mpmath 1.3 for 2e-16
  test.each([
    [1e-300, -37.0470962993612],
    [1e-20, -9.262340089798409],
    [2e-16, -8.13856206019972],
    [0.01, -2.326347874040841],
    [0.3, -0.5244005127080409],
    [0.5, 0],
    [0.999, 3.090232306167813],
  ])('has the known value at %d', (p, expected) => {
    expect(Math.abs(normalQuantile(p) - expected)).toBeLessThan(1e-14 * Math.max(1, Math.abs(expected)));
  });

  test('inverts normalCdf', () => {
    fc.assert(
      fc.property(fc.double({ min: -37, max: -1e-3, noNaN: true }), (x) => {
        expect(off(normalQuantile(normalCdf(x)), x)).toBeLessThan(1e-12);
      }),
    );
  });
});
