/** The derivative of the state at a time. */
export type Derivative = (t: number, y: readonly number[]) => number[];

/** One accepted step. `at` returns the state at a time in the step, to fourth order. */
export interface Step {
  from: number;
  to: number;
  at(t: number): number[];
}

export interface Tolerance {
  relative: number;
  absolute: number;
}

/**
 * Integrates y' = f(t, y) from `from` to `to` by the embedded pair of Dormand and Prince of orders 5 and 4, with
 * step-size control and continuous output. Yields the accepted steps in order.
 *
 * Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I" (1993), sections II.4 to II.6 (DOPRI5).
 */
export function* integrate(
  f: Derivative,
  from: number,
  to: number,
  start: readonly number[],
  tolerance: Tolerance,
): Generator<Step, void> {
  let t = from;
  let y = [...start];
  let slope = f(t, y);
  let h = (to - from) / 100;
  while (t < to) {
    h = Math.min(h, to - t);
    const trial = attempt(f, t, y, slope, h);
    const error = errorNorm(trial.error, y, trial.end, tolerance);
    if (error <= 1) {
      // the last step ends exactly at `to`, despite the rounding of t + h
      const next = h === to - t ? to : t + h;
      yield makeStep(t, next, y, trial.end, trial.slopes);
      t = next;
      y = trial.end;
      slope = trial.slopes[6]!;
    } else if (t + h / 10 === t) {
      throw new Error(`the integration does not get beyond t = ${t}`);
    }
    h *= Math.min(5, Math.max(0.2, 0.9 * error ** -0.2));
  }
}

const NODES = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1];
const STAGES = [
  [],
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
/** The solution of order 5 minus the solution of order 4. */
const ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];
const DENSE = [
  -12715105075 / 11282082432,
  0,
  87487479700 / 32700410799,
  -10690763975 / 1880347072,
  701980252875 / 199316789632,
  -1453857185 / 822651844,
  69997945 / 29380423,
];

function attempt(f: Derivative, t: number, y: readonly number[], slope: number[], h: number) {
  const slopes = [slope];
  let end: number[] = [];
  for (let stage = 1; stage < 7; stage++) {
    end = y.map((value, i) => value + h * combine(STAGES[stage]!, slopes, i));
    slopes.push(f(t + NODES[stage]! * h, end));
  }
  return { end, slopes, error: y.map((_, i) => h * combine(ERROR, slopes, i)) };
}

function combine(weights: readonly number[], slopes: readonly number[][], i: number): number {
  return weights.reduce((sum, weight, stage) => sum + weight * slopes[stage]![i]!, 0);
}

function errorNorm(
  error: readonly number[],
  before: readonly number[],
  after: readonly number[],
  tolerance: Tolerance,
): number {
  const squares = error.map((value, i) => {
    const scale = Math.max(Math.abs(before[i]!), Math.abs(after[i]!));
    return (value / (tolerance.absolute + tolerance.relative * scale)) ** 2;
  });
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
}

function makeStep(from: number, to: number, before: number[], after: number[], slopes: number[][]): Step {
  const h = to - from;
  return {
    from,
    to,
    at(t) {
      const x = (t - from) / h;
      return before.map((start, i) => {
        const change = after[i]! - start;
        const bend = h * slopes[0]![i]! - change;
        const tail = change - h * slopes[6]![i]! - bend;
        return start + x * (change + (1 - x) * (bend + x * (tail + (1 - x) * h * combine(DENSE, slopes, i))));
      });
    },
  };
}
