import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { permutation } from '../../../src/campaign/sampling/permutation.ts';
import { uniformAt } from '../../../src/campaign/sampling/threefry.ts';
import { counts, numbersOf } from './support.ts';

describe('lhs', () => {
  test('has one point in each stratum of each input', () => {
    const size = fc.integer({ min: 1, max: 2_000 });
    fc.assert(
      fc.property(size, fc.nat(), fc.string(), (points, seed, name) => {
        const numbers = numbersOf('lhs', points, { seed, name });
        expect(counts(numbers, points)).toEqual(new Array(points).fill(1));
      }),
    );
  });

  test('has one point in each stratum with a million points', () => {
    const found = counts(numbersOf('lhs', 1_000_000), 1_000_000);
    expect(found.every((count) => count === 1)).toBe(true);
  });

  test('has points that are evenly distributed within their strata', () => {
    const places = numbersOf('lhs', 10_000).map((number) => (number * 10_000) % 1);
    for (const count of counts(places, 10)) expect(Math.abs(count - 1_000)).toBeLessThan(4 * Math.sqrt(900));
  });
});

test('each order of four points has the same probability', () => {
  const found = new Map<string, number>();
  for (let key = 0; key < 24_000; key += 1) {
    const order = permutation(4, (from) => uniformAt([1, key], from, 0)).join();
    found.set(order, (found.get(order) ?? 0) + 1);
  }
  expect(found.size).toBe(24);
  const chi2 = [...found.values()].reduce((sum, count) => sum + (count - 1_000) ** 2 / 1_000, 0);
  // with 23 degrees of freedom, 1 in 10,000 values of chi-squared is above 56
  expect(chi2).toBeLessThan(56);
});
