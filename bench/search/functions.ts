import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readObservations, rootMeanSquareError } from '../../models/epidemic/observations.ts';
import { type Parameters, solve, type State } from '../../models/epidemic/sir.ts';

/** A function that a search minimizes. Its minimum is known. */
export interface TestFunction {
  name: string;
  of: (x: readonly number[]) => number;
  /** The least value in the box. */
  optimum: number;
  /** The bounds of each input. */
  box: readonly (readonly [number, number])[];
}

/** The function on the unit box: a search method sees coordinates from 0 to 1. */
export function onUnitBox({ of, box }: TestFunction): (x: readonly number[]) => number {
  return (x) => of(x.map((value, i) => box[i]![0] + value * (box[i]![1] - box[i]![0])));
}

/** The highest value that is within 1 % of the optimum. */
export function withinOnePercent({ optimum }: TestFunction): number {
  return optimum + 0.01 * Math.abs(optimum);
}

/** L. C. W. Dixon and G. P. Szegő, "Towards Global Optimisation 2" (1978) 1-15. Branin has three equal minima. */
export const branin: TestFunction = {
  name: 'Branin',
  of: ([x, y]) =>
    (y! - (5.1 / (4 * Math.PI ** 2)) * x! ** 2 + (5 / Math.PI) * x! - 6) ** 2 +
    10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x!) +
    10,
  optimum: 0.397887357729738,
  box: [
    [-5, 10],
    [0, 15],
  ],
};

const HARTMANN_ALPHA = [1, 1.2, 3, 3.2];
const HARTMANN_A = [
  [10, 3, 17, 3.5, 1.7, 8],
  [0.05, 10, 17, 0.1, 8, 14],
  [3, 3.5, 1.7, 10, 17, 8],
  [17, 8, 0.05, 10, 0.1, 14],
];
const HARTMANN_P = [
  [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
  [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
  [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.665],
  [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
];

/**
 * L. C. W. Dixon and G. P. Szegő, "Towards Global Optimisation 2" (1978) 1-15. The function has a second minimum,
 * with the value -3.203.
 */
export const hartmann6: TestFunction = {
  name: 'Hartmann-6',
  of: (x) =>
    -HARTMANN_ALPHA.reduce((sum, alpha, k) => {
      const exponent = x.reduce(
        (e, value, i) => e + HARTMANN_A[k]![i]! * (value - HARTMANN_P[k]![i]!) ** 2,
        0,
      );
      return sum + alpha * Math.exp(-exponent);
    }, 0),
  optimum: -3.32236801141551,
  box: Array.from({ length: 6 }, () => [0, 1] as const),
};

const observed = readObservations(
  readFileSync(resolve(import.meta.dirname, '../../examples/boarding-school-flu/observed.csv')),
);
export const fluDays = observed.map(({ day }) => day);

/** The parameters of the epidemic in the boarding school, from the contact rate and the recovery rate. */
export function fluParameters([contactRate, recoveryRate]: readonly number[]): Parameters {
  return {
    population: 763,
    initiallyInfected: 1,
    contactRate: contactRate!,
    recoveryRate: recoveryRate!,
    days: 14,
  };
}

/**
 * The root mean square error of an epidemic for the observed cases. `states` are the states of the epidemic at the
 * {@link fluDays}.
 */
export function fitErrorOf(states: readonly State[]): number {
  return rootMeanSquareError(
    observed,
    states.map(({ infected }) => infected),
  );
}

/**
 * The error of the deterministic model "Epidemic" for the cases of influenza in a boarding school, by contact rate and
 * recovery rate.
 */
export const flu: TestFunction = {
  name: 'flu',
  of: (x) => fitErrorOf(solve(fluParameters(x), fluDays).states),
  optimum: 17.158799,
  box: [
    [1.2, 2.2],
    [0.3, 0.6],
  ],
};

/** Functions of any dimension without bounds, and with a minimum of 0. */
type Unbounded = Pick<TestFunction, 'name' | 'of'>;

export const sphere: Unbounded = {
  name: 'sphere',
  of: (x) => x.reduce((sum, value) => sum + value ** 2, 0),
};

/** The ellipsoid with a condition number of 10⁶. */
export const ellipsoid: Unbounded = {
  name: 'ellipsoid',
  of: (x) => x.reduce((sum, value, i) => sum + 10 ** ((6 * i) / (x.length - 1)) * value ** 2, 0),
};

export const rosenbrock: Unbounded = {
  name: 'Rosenbrock',
  of: (x) => x.slice(1).reduce((sum, next, i) => sum + 100 * (x[i]! ** 2 - next) ** 2 + (1 - x[i]!) ** 2, 0),
};
