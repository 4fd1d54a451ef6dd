import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type NumericDistribution, quantile } from '../../src/campaign/sampling/distributions.ts';
import { MOST_INPUTS } from '../../src/campaign/sampling/unit-points.ts';
import { pointsOf } from '../campaign/sampling/support.ts';
import { moments } from '../models/kernel/support.ts';
import { report } from '../support/seeds.ts';
import { PythonProcess } from './python-process.ts';

/** Compares points, discrepancies and quantiles of foray's designs with SciPy. */

let python: PythonProcess;
beforeAll(async () => {
  python = await PythonProcess.start();
});
afterAll(() => python.end());

async function scipy<Answer>(question: object): Promise<Answer> {
  const script = 'import json, sampling\nprint(json.dumps(sampling.answer(given)))';
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
