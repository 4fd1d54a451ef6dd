import { expect, test } from '@jest/globals';
import type { Measure } from '../../../src/campaign/measures.ts';
import { ByChance } from '../../../src/report/comparison/by-chance.ts';
import { uniforms } from '../../support/uniforms.ts';

const share = { name: 'f', statistic: 'share' } as Measure;
const quantile = { name: 'f', statistic: 'quantile', probability: 0.5 } as Measure;

function expected(measure: Measure, runs: number, draw: () => number): number {
  const chance = new ByChance(0.95);
  let sum = 0;
  for (let point = 0; point < 100; point += 1) {
    const [a, b] = [0, 1].map(() => Array.from({ length: runs }, draw)) as [number[], number[]];
    sum += chance.of(measure, a, b, false);
  }
  return sum;
}

test('the number of differences by chance is that of the method of the interval', () => {
  const uniform = uniforms(3);
  // of 20,000 points with two shares of 0.1 in 50 runs each, 3.8 % have an interval that excludes 0
  const shares = expected(share, 50, () => Number(uniform() < 0.1));
  expect(shares).toBeGreaterThan(3.8 / 2);
  expect(shares).toBeLessThan(3.8 * 2);
  // intervals of quantiles exclude 0 at one of 2,000 points
  expect(expected(quantile, 20, uniform)).toBeLessThan(0.5);
  const mean = { name: 'f', statistic: 'mean' } as Measure;
  expect(new ByChance(0.9).of(mean, [1, 2, 3], [2, 5, 4], false)).toBeCloseTo(0.1, 12);
});
