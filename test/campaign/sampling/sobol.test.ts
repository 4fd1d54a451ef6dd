import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { MOST_DIMENSIONS, sobolColumn } from '../../../src/campaign/sampling/sobol.ts';
import { zOf } from '../../models/kernel/support.ts';
import { counts, pointsOf } from './support.ts';

const dimension = fc.nat(MOST_DIMENSIONS - 1);
const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const key = fc.option(fc.tuple(word, word));

test('the plain sequence begins with the known points', () => {
  expect(pointsOf('sobol', 8, ['a', 'b', 'c'], { scramble: false })).toEqual([
    [0, 0, 0],
    [0.5, 0.5, 0.5],
    [0.75, 0.25, 0.25],
    [0.25, 0.75, 0.75],
    [0.375, 0.375, 0.625],
    [0.875, 0.875, 0.125],
    [0.625, 0.125, 0.875],
    [0.125, 0.625, 0.375],
  ]);
});

describe('a sequence, scrambled or not', () => {
  test('puts 2^m consecutive points into different intervals of length 2^-m for each input, if their first index is a multiple of 2^m', () => {
    fc.assert(
      fc.property(dimension, key, fc.nat(10), fc.nat(5_000), (at, scramble, m, block) => {
        const column = sobolColumn(at, scramble);
        const numbers = Array.from({ length: 2 ** m }, (_, index) => column(block * 2 ** m + index));
        expect(counts(numbers, 2 ** m)).toEqual(new Array(2 ** m).fill(1));
      }),
    );
  });

  test('puts such points into different dyadic rectangles of the area 2^-m, for the first two inputs', () => {
    fc.assert(
      fc.property(key, key, fc.nat(8), fc.nat(100), fc.nat(8), (first, second, m, block, wide) => {
        const [x, y] = [sobolColumn(0, first), sobolColumn(1, second)];
        const columns = 2 ** Math.min(wide, m);
        const rows = 2 ** m / columns;
        const cells = Array.from({ length: 2 ** m }, (_, at) => {
          const index = block * 2 ** m + at;
          return Math.floor(x(index) * columns) * rows + Math.floor(y(index) * rows);
        });
        expect(new Set(cells).size).toBe(2 ** m);
      }),
    );
  });
});

describe('scrambling', () => {
  const bits = (number: number): number => Math.floor(number * 2 ** 32);

  test('is nested: the first bit in which two numbers differ stays the same', () => {
    const index = fc.nat(2 ** 24);
    fc.assert(
      fc.property(dimension, fc.tuple(word, word), index, index, (at, scramble, a, b) => {
        const [plain, scrambled] = [sobolColumn(at, null), sobolColumn(at, scramble)];
        expect(Math.clz32(bits(scrambled(a)) ^ bits(scrambled(b)))).toBe(
          Math.clz32(bits(plain(a)) ^ bits(plain(b))),
        );
      }),
    );
  });

  test('flips each bit independently: the seven bits of the first three levels are independent', () => {
    const found = new Array<number>(128).fill(0);
    const keys = 128 * 200;
    for (let at = 0; at < keys; at += 1) {
      const column = sobolColumn(0, [at, 7]);
      // The first three scrambled bits of the first eight points. The points are in the order of their plain numbers,
      // 0, 1/8, ...
      const turned = [0, 7, 3, 4, 1, 6, 2, 5].map((index) => Math.floor(column(index) * 8));
      const coins = [
        turned[0]! >> 2,
        (turned[0]! >> 1) & 1,
        (turned[4]! >> 1) & 1,
        ...[0, 2, 4, 6].map((place) => turned[place]! & 1),
      ];
      found[coins.reduce((sum, coin) => 2 * sum + coin, 0)]! += 1;
    }
    const chi2 = found.reduce((sum, count) => sum + (count - 200) ** 2 / 200, 0);
    // with 127 degrees of freedom, 1 in 10,000 values of chi-squared is above 193
    expect(chi2).toBeLessThan(193);
  });

  test('does not change means, and has far less error than random points', () => {
    const names = ['a', 'b', 'c', 'd'];
    const meanOf = (method: 'random' | 'sobol', seed: number): number => {
      const values = pointsOf(method, 256, names, { seed }).map((point) =>
        point.reduce((product, u) => product * (1 + u), 1),
      );
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    const seeds = Array.from({ length: 40 }, (_, at) => at);
    const means = seeds.map((seed) => meanOf('sobol', seed));
    expect(Math.abs(zOf(means, 1.5 ** 4))).toBeLessThan(4);
    const spread = (values: number[]): number =>
      values.reduce((sum, value) => sum + (value - 1.5 ** 4) ** 2, 0) / values.length;
    expect(spread(means) * 100).toBeLessThan(spread(seeds.map((seed) => meanOf('random', seed))));
  });
});
