export interface Moments {
  mean: number;
  variance: number;
}

/** Mean and variance (over n − 1) of numbers, in two passes. */
export function momentsOf(values: ArrayLike<number>): Moments {
  const n = values.length;
  let sum = 0;
  for (let at = 0; at < n; at += 1) sum += values[at]!;
  const mean = sum / n;
  let squares = 0;
  for (let at = 0; at < n; at += 1) squares += (values[at]! - mean) ** 2;
  return { mean, variance: n > 1 ? squares / (n - 1) : 0 };
}

/** The square of 1e-12: numbers with at most this share of their mean as standard deviation are equal but for rounding. */
const ROUNDING_SQUARED = 1e-24;

/** Whether numbers with these moments are equal, apart from rounding. */
export function areEqual({ mean, variance }: Moments): boolean {
  return Number.isFinite(variance) && !(variance > ROUNDING_SQUARED * mean ** 2);
}

/** Like {@link areEqual}, for values that may be so small or so large that their squares are no numbers. */
export function haveOneValue(values: Float64Array): boolean {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return largest === 0 || areEqual(momentsOf(values.map((value) => value / largest)));
}
