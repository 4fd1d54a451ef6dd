import { expect, test } from '@jest/globals';
import { studentQuantile } from '../../src/statistics/student.ts';
import { fisherTail, studentTails } from '../../src/statistics/tests.ts';

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
