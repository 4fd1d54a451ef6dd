import { quantile } from '../../statistics/quantile.ts';

/** The accepted points of a generation: their coordinates, their distances from the observations, and their weights. */
export interface Population {
  /** The normal scores of each point: in these coordinates, the prior is a standard normal distribution. */
  scores: readonly (readonly number[])[];
  distances: readonly number[];
  /** One weight per point, in the order of `scores`. Their sum is 1. */
  weights: readonly number[];
}

/**
 * The effective sample size: the number of equally weighted points with the same information. L. Kish, "Survey
 * Sampling", Wiley 1965, section 11.7.
 */
export function effectiveSize(weights: readonly number[]): number {
  return 1 / weights.reduce((sum, weight) => sum + weight * weight, 0);
}

/** The weighted quantile: the lowest value with at least this share of the weight at or below it. */
export function weightedQuantile(
  values: readonly number[],
  weights: readonly number[],
  share: number,
): number {
  const order = values.map((_, at) => at).sort((a, b) => values[a]! - values[b]!);
  let left = share;
  for (const at of order) {
    left -= weights[at]!;
    // rounding may leave the sum of the weights below 1
    if (left <= 1e-12) return values[at]!;
  }
  return values[order.at(-1)!]!;
}

/** The weighted mean and standard deviation. */
export function weightedMoments(
  values: readonly number[],
  weights: readonly number[],
): { mean: number; sd: number } {
  const mean = values.reduce((sum, value, at) => sum + weights[at]! * value, 0);
  const variance = values.reduce((sum, value, at) => sum + weights[at]! * (value - mean) ** 2, 0);
  return { mean, sd: Math.sqrt(variance) };
}

/**
 * The spread of values: the median of the absolute deviations from the median. If it is 0, the result is the mean of
 * these deviations. If that is 0 too, the result is 1.
 */
export function spreadOf(values: readonly number[]): number {
  const median = medianOf(values);
  const deviations = values.map((value) => Math.abs(value - median));
  const mean = deviations.reduce((sum, deviation) => sum + deviation, 0) / deviations.length;
  return medianOf(deviations) || mean || 1;
}

function medianOf(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}
