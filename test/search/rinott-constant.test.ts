import { expect, test } from '@jest/globals';
import { rinottConstant } from '../../bench/search/rinott-constant.ts';

// the values are in the table of rinott.py of PyPRS, for 20 first runs and a confidence of 0.95
test.each([
  [2, '2.452'],
  [3, '2.937'],
  [5, '3.385'],
  [10, '3.875'],
  [20, '4.302'],
  [50, '4.816'],
  [100, '5.184'],
])('the constant of %i systems equals the value in the table', (systems, expected) => {
  expect(rinottConstant(systems, 20, 0.95).toFixed(3)).toBe(expected);
});

test('the constant falls with the number of first runs to the constant of known variances, and rises with the confidence', () => {
  const constants = [2, 3, 5, 20, 100, 2_000].map((first) => rinottConstant(2, first, 0.95));
  expect(constants).toEqual(constants.toSorted((a, b) => b - a));
  // the constant of known variances is √2 times the normal quantile
  expect(constants.at(-1)).toBeCloseTo(Math.SQRT2 * 1.6448536, 2);
  expect(rinottConstant(5, 20, 0.99)).toBeGreaterThan(rinottConstant(5, 20, 0.95));
});

test.each([
  [1, 20, 0.95],
  [2, 1, 0.95],
  [2, 20, 0.5],
  [2, 20, 1],
])('there is no constant for %i systems, %i first runs and confidence %d', (...given) => {
  expect(() => rinottConstant(...given)).toThrow(RangeError);
});
