import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { batchMeans } from '../../src/statistics/batch-means.ts';
import { report } from '../support/seeds.ts';
import { pythonOfTests } from '../support/python.ts';

type Case = [values: number[], batches: number, warmup: number, confidence: number];
type Estimate = [mean: number, sd: number, low: number, high: number];

let python: string;
beforeAll(async () => {
  python = path.join(await pythonOfTests(), 'python');
});

test('batch means equal the batch means of NumPy, and their intervals equal the intervals of SciPy', () => {
  const cases = fc.sample(
    fc
      .tuple(
        // whole numbers, so that rounding does not cause a small variance
        fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 60, maxLength: 400 }),
        fc.integer({ min: 2, max: 30 }),
        fc.integer({ min: 0, max: 30 }),
        fc.constantFrom(0.5, 0.9, 0.95, 0.999),
      )
      .map((drawn): Case => drawn),
    { numRuns: 200, seed: 6 },
  );
  const script = path.join(import.meta.dirname, 'batch_means.py');
  const theirs = JSON.parse(
    execFileSync(python, [script], { encoding: 'utf8', input: JSON.stringify(cases) }),
  ) as Estimate[];
  const errors = cases.map(([values, batches, warmup, confidence], at) => {
    const { mean, sd, low, high } = batchMeans(values, { batches, warmup, confidence });
    const [, , theirLow, theirHigh] = theirs[at]!;
    const apart = [mean, sd, low, high].map((number, i) => Math.abs(number - theirs[at]![i]!));
    return Math.max(...apart) / (theirHigh - theirLow);
  });
  report(
    `oracles: SciPy, batch means: ${errors.length} series, within ${Math.max(...errors).toExponential(1)} of their intervals' width`,
  );
  expect(errors).toHaveLength(200);
  expect(Math.max(...errors)).toBeLessThan(1e-9);
});
