import type { MethodMaker, Problem, Told } from '../../src/search/methods/method.ts';
import { onUnitBox, type TestFunction } from './functions.ts';

/** A problem with real inputs and one open point at a time. */
export function problemOf({ box }: TestFunction, seed: number): Problem {
  return {
    dimensions: box.map(() => ({ kind: 'real' })),
    isAllowed: () => true,
    requirements: 0,
    parallel: 1,
    isNoisy: false,
    seed,
  };
}

/**
 * Number of points that a method evaluates until a value is at most `target`; Infinity when `most` points are not
 * enough.
 */
export function evaluationsTo(
  target: number,
  most: number,
  maker: MethodMaker,
  tested: TestFunction,
  seed: number,
): number {
  const method = maker(problemOf(tested, seed));
  const of = onUnitBox(tested);
  const open: Told[] = [];
  for (let evaluations = 0; evaluations < most;) {
    const proposal = method.ask();
    if (proposal === 'exhausted') break;
    if (proposal === null) {
      for (const told of open.splice(0)) method.tell(told);
      continue;
    }
    const value = of(proposal.x);
    open.push({ ask: evaluations, x: proposal.x, value, variance: null, runs: 1, excess: [] });
    evaluations += 1;
    if (value <= target) return evaluations;
  }
  return Infinity;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
}
