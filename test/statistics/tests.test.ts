import { expect, test } from '@jest/globals';
import { studentQuantile } from '../../src/statistics/student.ts';
import {
  exactTailsOfPairs,
  exactTailsOfShares,
  fisherTail,
  studentTails,
} from '../../src/statistics/tests.ts';

// the values come from scipy.stats.f.sf
test.each([
  [0.5, 1, 1, 0.6081734479693928],
  [3.2, 2, 6, 0.11328924843073408],
  [41.09, 1, 8, 0.00020688456992774484],
  [1.0, 5, 100, 0.4218298943719735],
  [0.01, 7, 3, 0.9999958695778987],
  [250, 4, 30, 1.4333648423519556e-22],
])(
  'the tail of F beyond %d with %d and %d degrees of freedom equals the value of SciPy',
  (f, above, below, tail) => {
    expect(Math.abs(fisherTail(f, above, below) / tail - 1)).toBeLessThan(1e-12);
  },
);

test('tails of Student’s t agree with its quantile, and the tail of F beyond 0 is 1', () => {
  for (const freedom of [1, 2, 7.5, 30, 1_000])
    expect(studentTails(studentQuantile(0.975, freedom), freedom)).toBeCloseTo(0.05, 12);
  expect(fisherTail(0, 3, 4)).toBe(1);
});

// the values come from scipy.stats.fisher_exact
test.each([
  [0, 2, 2, 2, 1 / 3],
  [0, 3, 3, 3, 0.1],
  [3, 4, 1, 4, 0.4857142857142857],
  [1, 10, 11, 14, 0.002759456185220088],
  [5, 10, 5, 10, 1],
])('Fisher’s exact test of %d of %d and %d of %d has the p-value of SciPy', (a, n, b, m, p) => {
  expect(exactTailsOfShares({ count: a, n }, { count: b, n: m })).toBeCloseTo(p, 7);
  expect(exactTailsOfShares({ count: b, n: m }, { count: a, n })).toBeCloseTo(p, 7);
});

test('an exact test of many runs does not leave the range of numbers', () => {
  const p = exactTailsOfShares({ count: 0, n: 5_000 }, { count: 5_000, n: 5_000 });
  expect(p).toBeGreaterThanOrEqual(0);
  expect(p).toBeLessThan(1e-300);
});

// twice the tail of a binomial distribution with one half
test.each([
  [0, 2, 0.5],
  [0, 3, 0.25],
  [1, 6, 0.125],
  [2, 8, 0.109375],
  [4, 4, 1],
  [0, 0, 1],
])(
  'the exact test of pairs, %d against %d of which differ, has the p-value of a sign test',
  (onlyA, onlyB, p) => {
    expect(exactTailsOfPairs({ onlyA, onlyB })).toBeCloseTo(p, 12);
    expect(exactTailsOfPairs({ onlyA: onlyB, onlyB: onlyA })).toBeCloseTo(p, 12);
  },
);
