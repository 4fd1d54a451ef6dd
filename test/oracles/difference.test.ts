import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { pairedDifference, welchDifference } from '../../src/statistics/difference.ts';
import { spreadOf } from '../../src/statistics/chance.ts';
import { report } from '../support/seeds.ts';
import { pythonOfTests } from '../support/python.ts';

type Case = [a: number[], b: number[], confidence: number];
type Ends = [low: number, high: number];

let python: string;
beforeAll(async () => {
  python = path.join(await pythonOfTests(), 'python');
});

test('intervals of differences equal the intervals of SciPy', () => {
  // whole numbers, so that rounding does not cause a small variance
  const values = (most: number) =>
    fc
      .array(fc.integer({ min: -most, max: most }), { minLength: 2, maxLength: 40 })
      .map(([first, ...rest]) => [first!, ...rest, first! + 1]);
  const cases = fc.sample(
    fc
      .tuple(values(1_000), values(20), fc.constantFrom(0.5, 0.9, 0.95, 0.999))
      .map(([a, b, confidence]): Case => {
        const length = Math.min(a.length, b.length);
        return a.length % 2 === 0 ? [a.slice(0, length), b.slice(0, length), confidence] : [a, b, confidence];
      }),
    { numRuns: 200, seed: 5 },
  );
  const script = path.join(import.meta.dirname, 'differences.py');
  const theirs = JSON.parse(
    execFileSync(python, [script], { encoding: 'utf8', input: JSON.stringify(cases) }),
  ) as [Ends, Ends | null][];
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
