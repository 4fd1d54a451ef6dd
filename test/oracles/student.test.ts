import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { studentQuantile } from '../../src/statistics/student.ts';
import { report } from '../support/seeds.ts';
import { pythonOfTests } from '../support/python.ts';

let python: string;
beforeAll(async () => {
  python = path.join(await pythonOfTests(), 'python');
});

test('the quantiles of Student’s t equal the quantiles of SciPy', () => {
  const pairs = [1, 1.5, 2, 3, 4, 5, 7.3, 9, 10, 19, 29, 30, 39.5, 99, 199, 1_000, 12_345.6, 1e6].flatMap(
    (freedom) =>
      [
        1e-12, 1e-6, 0.001, 0.005, 0.025, 0.05, 0.1, 0.2, 0.26, 0.4, 0.49, 0.51, 0.7, 0.9, 0.975, 0.995,
        0.9999,
      ].map((p) => [p, freedom] as [number, number]),
  );
  const script = path.join(import.meta.dirname, 'quantiles.py');
  const theirs = JSON.parse(
    execFileSync(python, [script, JSON.stringify(pairs)], { encoding: 'utf8' }),
  ) as number[];
  expect(theirs).toHaveLength(pairs.length);
  const errors = pairs.map(([p, freedom], at) => Math.abs(studentQuantile(p, freedom) / theirs[at]! - 1));
  report(
    `oracles: SciPy, Student's t: ${errors.length} quantiles, within ${Math.max(...errors).toExponential(1)}`,
  );
  expect(Math.max(...errors)).toBeLessThan(1e-10);
});
