import { branin, flu, hartmann6, onUnitBox, withinOnePercent, type TestFunction } from './functions.ts';
import { gaussianProcess } from '../../src/search/methods/gp/method.ts';
import type { Method, Problem } from '../../src/search/methods/method.ts';

/** The result of a search by a Gaussian process with one seed. */
export interface GpSearch {
  /** Evaluations until the first value within 1 % of the optimum; null when there was none. */
  evaluations: number | null;
  rounds: number | null;
  best: number;
}

/** The results of searches with several seeds for one function. */
export interface GpRow {
  function: string;
  /** Number of points that are proposed at once. */
  parallel: number;
  /** Number of seeds that came within 1 %. */
  found: number;
  /** Number of seeds that came within 1 % in the goal's number of evaluations or rounds. */
  within: number;
  seeds: number;
  /** Medians over all seeds; null when most seeds did not come within 1 %. */
  evaluations: number | null;
  rounds: number | null;
}

/** CPU time of a proposal after `points` known points, s. */
export interface GpTime {
  points: number;
  /** The shortest of twelve proposals, which needs no fit of the parameters. */
  least: number;
  /** The longest of twelve proposals, which needs a fit. */
  most: number;
}

/** The goals: the most evaluations, and the most rounds of 16 points, until a value is within 1 % of the optimum. */
export const GP_GOALS = { Branin: [40, 5], flu: [20, 3], 'Hartmann-6': [60, 8] } as Record<
  string,
  [number, number]
>;

/**
 * Runs searches by a Gaussian process until they are within 1 % of the optimum, for at most `mostEvaluations` points.
 */
export function gpRows(seeds: number, mostEvaluations: number): GpRow[] {
  return [branin, flu, hartmann6].flatMap((fn) =>
    [1, 16].map((parallel) => {
      const found = Array.from({ length: seeds }, (_, seed) =>
        gpSearch(fn, seed + 1, parallel, mostEvaluations),
      );
      const [most, mostRounds] = GP_GOALS[fn.name]!;
      const isWithin = ({ evaluations, rounds }: GpSearch): boolean =>
        parallel === 1 ? (evaluations ?? Infinity) <= most : (rounds ?? Infinity) <= mostRounds;
      return {
        function: fn.name,
        parallel,
        found: found.filter(({ evaluations }) => evaluations !== null).length,
        within: found.filter(isWithin).length,
        seeds,
        evaluations: median(found.map(({ evaluations }) => evaluations)),
        rounds: median(found.map(({ rounds }) => rounds)),
      };
    }),
  );
}

/** Measures the CPU time of proposals for Hartmann-6, for each number of already known points. */
export function gpTimes(points: readonly number[]): GpTime[] {
  return points.map((count) => {
    const method = gaussianProcess(problemOf(hartmann6, 1, 1));
    const of = onUnitBox(hartmann6);
    let state = 1;
    const uniform = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let i = 0; i < count; i += 1) tell(method, null, Array.from({ length: 6 }, uniform), of);
    const times = Array.from({ length: 12 }, (_, ask) => {
      const before = process.cpuUsage();
      const x = proposed(method);
      const { user, system } = process.cpuUsage(before);
      tell(method, ask, x, of);
      return (user + system) / 1e6;
    });
    return { points: count, least: Math.min(...times), most: Math.max(...times) };
  });
}

export function gpSearch(fn: TestFunction, seed: number, parallel: number, most: number): GpSearch {
  const method = gaussianProcess(problemOf(fn, seed, parallel));
  const of = onUnitBox(fn);
  let best = Infinity;
  for (let round = 0; round * parallel < most; round += 1) {
    const xs = Array.from({ length: parallel }, () => proposed(method));
    for (const [i, x] of xs.entries()) {
      const evaluations = round * parallel + i + 1;
      const value = tell(method, evaluations - 1, x, of);
      best = Math.min(best, value);
      if (value <= withinOnePercent(fn)) return { evaluations, rounds: round + 1, best };
    }
  }
  return { evaluations: null, rounds: null, best };
}

function problemOf(fn: TestFunction, seed: number, parallel: number): Problem {
  return {
    dimensions: fn.box.map(() => ({ kind: 'real' })),
    isAllowed: () => true,
    requirements: 0,
    parallel,
    isNoisy: false,
    seed,
  };
}

function proposed(method: Method): number[] {
  const asked = method.ask();
  if (asked === null || asked === 'exhausted') throw new Error('The method proposed nothing.');
  return asked.x;
}

function tell(method: Method, ask: number | null, x: number[], of: (x: readonly number[]) => number): number {
  const value = of(x);
  method.tell({ ask, x, value, variance: null, runs: 1, excess: [] });
  return value;
}

function median(values: readonly (number | null)[]): number | null {
  const sorted = values.map((value) => value ?? Infinity).sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const found = (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
  return Number.isFinite(found) ? found : null;
}
