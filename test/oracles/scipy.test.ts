import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type NumericDistribution, quantile } from '../../src/campaign/sampling/distributions.ts';
import { MOST_INPUTS } from '../../src/campaign/sampling/unit-points.ts';
import { batchMeans } from '../../src/statistics/batch-means.ts';
import { spreadOf } from '../../src/statistics/chance.ts';
import { pairedDifference, welchDifference } from '../../src/statistics/difference.ts';
import { studentQuantile } from '../../src/statistics/student.ts';
import { pointsOf } from '../campaign/sampling/support.ts';
import { moments } from '../models/kernel/support.ts';
import fc from '../support/fast-check.ts';
import { report } from '../support/seeds.ts';
import { PythonProcess } from './python-process.ts';

/** Compares points, discrepancies and quantiles of foray's designs, and its intervals, with SciPy. */

let python: PythonProcess;
beforeAll(async () => {
  python = await PythonProcess.start();
});
afterAll(() => python.end());

async function scipy<Answer>(question: object): Promise<Answer> {
  const script = 'import json, scipy_answers\nprint(json.dumps(scipy_answers.answer(given)))';
  return JSON.parse(await python.run(script, question)) as Answer;
}

const inputs = (dimensions: number): string[] => Array.from({ length: dimensions }, (_, at) => `x${at}`);

describe.each(['sobol', 'halton'] as const)('plain %s', (method) => {
  test.each([1, 2, 5, 20, 100, MOST_INPUTS])(
    'has the same points as SciPy in %d dimensions',
    async (dimensions) => {
      const theirs = await scipy<number[][]>({ ask: 'points', method, dimensions, points: 1_024 });
      const ours = pointsOf(method, 1_024, inputs(dimensions), { scramble: false });
      expect(theirs).toHaveLength(ours.length);
      const furthest = Math.max(
        ...ours.map((point, at) =>
          Math.max(...point.map((u, dimension) => Math.abs(u - theirs[at]![dimension]!))),
        ),
      );
      expect(furthest).toBeLessThan(1e-9);
    },
  );
});

describe.each(['sobol', 'halton', 'lhs'] as const)('the centered discrepancy of randomized %s', (method) => {
  test.each([
    [2, 128],
    [5, 256],
    [20, 256],
  ])('in %d dimensions with %d points has a mean within the range of SciPy', async (dimensions, points) => {
    const samples = Array.from({ length: 30 }, (_, seed) =>
      pointsOf(method, points, inputs(dimensions), { seed }),
    );
    const { ours, theirs } = await scipy<{ ours: number[]; theirs: number[] }>({
      ask: 'discrepancies',
      method,
      samples,
    });
    const [us, them] = [moments(ours), moments(theirs)];
    const z = (us.mean - them.mean) / Math.sqrt((us.variance + them.variance) / ours.length);
    report(
      `oracles: discrepancy of ${method}, ${points} points in ${dimensions} dimensions: ${us.mean.toExponential(3)}, ` +
        `scipy ${them.mean.toExponential(3)}, z ${z.toFixed(2)}`,
    );
    expect(us.mean).toBeGreaterThan(Math.min(...theirs));
    expect(us.mean).toBeLessThan(Math.max(...theirs));
  });
});

test('quantiles equal the quantiles of SciPy', async () => {
  const distributions: NumericDistribution[] = [
    { kind: 'uniform', min: 2, max: 7 },
    { kind: 'log-uniform', min: 1e-6, max: 1e3 },
    { kind: 'triangular', min: 1, mode: 2, max: 6 },
    { kind: 'triangular', min: 1, mode: 1, max: 6 },
    { kind: 'triangular', min: 1, mode: 6, max: 6 },
    { kind: 'normal', mean: 100, sd: 10 },
    { kind: 'normal', mean: 0, sd: 1 },
    { kind: 'normal', mean: 0, sd: 1, min: -1, max: 3 },
    { kind: 'normal', mean: 5, sd: 2, min: 4 },
    { kind: 'normal', mean: 5, sd: 2, max: 0 },
    { kind: 'normal', mean: 0, sd: 1, min: 8 },
    { kind: 'normal', mean: 0, sd: 1, min: 8, max: 8.5 },
    { kind: 'normal', mean: 0, sd: 1, min: -31, max: -30 },
    { kind: 'normal', mean: 0, sd: 1, max: 7 },
  ];
  const shares = [1e-9, 1e-4, ...Array.from({ length: 99 }, (_, at) => (at + 1) / 100), 0.9999, 1 - 1e-9];
  const theirs = await scipy<number[][]>({ ask: 'quantiles', shares, distributions });
  let largest = 0;
  for (const [at, distribution] of distributions.entries()) {
    for (const [i, u] of shares.entries()) {
      const [our, their] = [quantile(distribution, u), theirs[at]![i]!];
      // the divisor is at least 0.001, because a relative error is not defined at 0
      const error = Math.abs(our - their) / Math.max(Math.abs(their), 1e-3);
      if (!(error < 1e-10))
        throw new Error(`${JSON.stringify(distribution)} at ${u}: ${our}, scipy ${their}`);
      largest = Math.max(largest, error);
    }
  }
  report(`oracles: quantiles are at most ${largest.toExponential(1)} from those of scipy`);
  expect(theirs.map((values) => values.length)).toEqual(distributions.map(() => shares.length));
});

test('the quantiles of Student’s t equal the quantiles of SciPy', async () => {
  const pairs = [1, 1.5, 2, 3, 4, 5, 7.3, 9, 10, 19, 29, 30, 39.5, 99, 199, 1_000, 12_345.6, 1e6].flatMap(
    (freedom) =>
      [
        1e-12, 1e-6, 0.001, 0.005, 0.025, 0.05, 0.1, 0.2, 0.26, 0.4, 0.49, 0.51, 0.7, 0.9, 0.975, 0.995,
        0.9999,
      ].map((p) => [p, freedom] as [number, number]),
  );
  const theirs = await scipy<number[]>({ ask: 'student', pairs });
  expect(theirs).toHaveLength(pairs.length);
  const errors = pairs.map(([p, freedom], at) => Math.abs(studentQuantile(p, freedom) / theirs[at]! - 1));
  report(
    `oracles: SciPy, Student's t: ${errors.length} quantiles, within ${Math.max(...errors).toExponential(1)}`,
  );
  expect(Math.max(...errors)).toBeLessThan(1e-10);
});

type Ends = [low: number, high: number];

test('intervals of differences equal the intervals of SciPy', async () => {
  // whole numbers, so that rounding does not cause a small variance
  const values = (most: number) =>
    fc
      .array(fc.integer({ min: -most, max: most }), { minLength: 2, maxLength: 40 })
      .map(([first, ...rest]) => [first!, ...rest, first! + 1]);
  const cases = fc.sample(
    fc
      .tuple(values(1_000), values(20), fc.constantFrom(0.5, 0.9, 0.95, 0.999))
      .map(([a, b, confidence]): [a: number[], b: number[], confidence: number] => {
        const length = Math.min(a.length, b.length);
        return a.length % 2 === 0 ? [a.slice(0, length), b.slice(0, length), confidence] : [a, b, confidence];
      }),
    { numRuns: 200, seed: 5 },
  );
  const theirs = await scipy<[Ends, Ends | null][]>({ ask: 'differences', cases });
  let pairs = 0;
  const errors = cases.flatMap(([a, b, confidence], at) => {
    const [welch, paired] = theirs[at]!;
    const ours = welchDifference(spreadOf(a), spreadOf(b), confidence)!;
    const found = [errorOf([ours.low, ours.high], welch)];
    if (paired) {
      const { low, high } = pairedDifference(spreadOf(b.map((value, n) => value - a[n]!)), confidence)!;
      pairs += 1;
      found.push(errorOf([low, high], paired));
    }
    return found;
  });
  report(
    `oracles: SciPy, differences: ${errors.length} intervals, ${pairs} of them of paired differences, within ${Math.max(...errors).toExponential(1)} of their width`,
  );
  expect(pairs).toBeGreaterThan(50);
  expect(Math.max(...errors)).toBeLessThan(1e-9);
});

/** The distance between our interval and the interval of SciPy, divided by the width of SciPy's interval. */
function errorOf([low, high]: Ends, [theirLow, theirHigh]: Ends): number {
  const width = theirHigh - theirLow;
  return Math.max(Math.abs(low - theirLow), Math.abs(high - theirHigh)) / (width || 1);
}

type Estimate = [mean: number, sd: number, low: number, high: number];

test('batch means equal the batch means of NumPy, and their intervals equal the intervals of SciPy', async () => {
  const cases = fc.sample(
    fc.tuple(
      // whole numbers, so that rounding does not cause a small variance
      fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 60, maxLength: 400 }),
      fc.integer({ min: 2, max: 30 }),
      fc.integer({ min: 0, max: 30 }),
      fc.constantFrom(0.5, 0.9, 0.95, 0.999),
    ),
    { numRuns: 200, seed: 6 },
  );
  const theirs = await scipy<Estimate[]>({ ask: 'batch_means', cases });
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
