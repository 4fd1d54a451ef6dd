import { branin, flu, hartmann6, isWithinOnePercent, onUnitBox, type TestFunction } from './functions.ts';
import { gaussianProcess } from '../../src/search/methods/gp/method.ts';
import type { Problem } from '../../src/search/methods/method.ts';

export function problemOf(fn: TestFunction, seed: number, parallel: number): Problem {
  return {
    dimensions: fn.box.map(() => ({ kind: 'real' })),
    isAllowed: () => true,
    requirements: 0,
    parallel,
    isNoisy: false,
    seed,
  };
}

/** After how many evaluations and rounds a search is within 1 % of the optimum; null when it never is. */
export function search(fn: TestFunction, seed: number, parallel: number, most: number) {
  const method = gaussianProcess(problemOf(fn, seed, parallel));
  const of = onUnitBox(fn);
  let best = Infinity;
  for (let round = 0; round * parallel < most; round += 1) {
    const xs = Array.from({ length: parallel }, () => {
      const asked = method.ask();
      if (asked === null || asked === 'exhausted') throw new Error('nothing was proposed');
      return asked.x;
    });
    for (const [i, x] of xs.entries()) {
      const value = of(x);
      best = Math.min(best, value);
      if (isWithinOnePercent(fn, value)) return { evaluations: round * parallel + i + 1, rounds: round + 1, best };
      method.tell({ ask: round * parallel + i, x, value, variance: null, runs: 1, excess: [] });
    }
  }
  return { evaluations: null, rounds: null, best };
}
