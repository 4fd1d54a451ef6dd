import { expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { haltonColumn } from '../../../src/campaign/sampling/halton.ts';
import { MOST_INPUTS } from '../../../src/campaign/sampling/unit-points.ts';
import { zOf } from '../../models/kernel/support.ts';
import { counts, pointsOf } from './support.ts';

const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const key = fc.option(fc.tuple(word, word));

test('the plain sequence begins with the known points', () => {
  expect(pointsOf('halton', 6, ['a', 'b', 'c'], { scramble: false })).toEqual([
    [0, 0, 0],
    [1 / 2, 1 / 3, 1 / 5],
    [1 / 4, 2 / 3, 2 / 5],
    [3 / 4, 1 / 9, 3 / 5],
    [1 / 8, 4 / 9, 4 / 5],
    [5 / 8, 7 / 9, 1 / 25],
  ]);
});

test('the last dimension uses the prime 1,619', () => {
  expect(haltonColumn(MOST_INPUTS - 1, null)(1)).toBe(1 / 1_619);
});

test.each([
  [0, 2, 10],
  [1, 3, 6],
  [2, 5, 4],
  [5, 13, 3],
  [24, 97, 2],
  [MOST_INPUTS - 1, 1_619, 1],
])(
  'in dimension %d with base %d, base^k consecutive points lie in different intervals of length base^-k if their first index is a multiple of base^k',
  (at, base, most) => {
    fc.assert(
      fc.property(key, fc.nat(most), fc.nat(20), (scramble, k, block) => {
        const column = haltonColumn(at, scramble);
        const size = base ** k;
        // a plain point is at the lower end of its stratum, and rounding must not move it out
        const numbers = Array.from({ length: size }, (_, index) => column(block * size + index) + 1e-12);
        expect(counts(numbers, size)).toEqual(new Array(size).fill(1));
      }),
      { numRuns: 40 },
    );
  },
);

test('scrambling also makes the digits after the last digit of an index random', () => {
  const firsts = Array.from({ length: 2_000 }, (_, at) => haltonColumn(1, [at, 7])(0));
  expect(Math.abs(zOf(firsts, 1 / 2))).toBeLessThan(4);
  const behind = firsts.map((number) => (number * 3 ** 10) % 1);
  expect(Math.abs(zOf(behind, 1 / 2))).toBeLessThan(4);
  expect(new Set(behind).size).toBe(firsts.length);
});

test('the number for an index of any size is at least 0 and below 1', () => {
  fc.assert(
    fc.property(fc.nat(MOST_INPUTS - 1), key, fc.nat(2 ** 31 - 1), (at, scramble, index) => {
      const number = haltonColumn(at, scramble)(index);
      expect(number).toBeGreaterThanOrEqual(0);
      expect(number).toBeLessThan(1);
    }),
  );
});
