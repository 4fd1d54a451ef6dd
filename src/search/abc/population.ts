import { quantile } from '../../statistics/quantile.ts';

/** The accepted points of a generation: their coordinates, their distances from the observations, and their weights. */
export interface Population {
  /** The coordinates of each point in the unit cube. In these coordinates, the prior is uniform. */
  points: readonly (readonly number[])[];
  distances: readonly number[];
  /** One weight per point, in the order of `points`. Their sum is 1. */
  weights: readonly number[];
}

/**
 * The effective sample size: the number of equally weighted points whose mean is as certain. Its certainty is measured
 * by leaving out one point at a time: B. Efron, "The Jackknife, the Bootstrap and Other Resampling Plans", SIAM 1982,
 * section 3. So it is small if the largest weights are far from the mean, at the edge of the distribution. It is the
 * smallest size over the inputs, and at most the size that follows from the weights alone (L. Kish, "Survey Sampling",
 * Wiley 1965, section 11.7).
 *
 * @param columns - the values of each numeric input, in the order of the weights
 */
export function effectiveSize(weights: readonly number[], columns: readonly (readonly number[])[]): number {
  const ofWeights = 1 / weights.reduce((sum, weight) => sum + weight * weight, 0);
  const sizes = columns.map((values) => {
    const { mean, sd } = weightedMoments(values, weights);
    // how far the mean moves when a point is left out
    const moves = values.map((value, at) => (weights[at]! * (value - mean)) / (1 - weights[at]!));
    const squares = moves.reduce((sum, move) => sum + move ** 2, 0);
    return squares > 0 ? sd ** 2 / squares : ofWeights;
  });
  return Math.max(1, Math.min(ofWeights, ...sizes));
}

/**
 * The next tolerance: the weighted quantile of the accepted distances. If so many of them are equal that it would not
 * fall, it is the largest lower distance, so that fewer points are accepted. Undefined if there is no lower distance.
 *
 * @param tolerance - the tolerance of the generation; null if it accepts all distances
 */
export function nextTolerance(
  { distances, weights }: Population,
  share: number,
  tolerance: number | null,
): number | undefined {
  const next = weightedQuantile(distances, weights, share);
  if (tolerance === null || next < tolerance) return next;
  const lower = distances.filter((distance) => distance < tolerance);
  return lower.length > 0 ? lower.reduce((a, b) => Math.max(a, b)) : undefined;
}

/** The weighted correlation (Pearson) of two columns; undefined if one of them has only equal values. */
export function weightedCorrelation(
  a: readonly number[],
  b: readonly number[],
  weights: readonly number[],
): number | undefined {
  const [first, second] = [weightedMoments(a, weights), weightedMoments(b, weights)];
  if (!(first.sd > 0 && second.sd > 0)) return undefined;
  const product = weights.reduce(
    (sum, weight, at) => sum + weight * (a[at]! - first.mean) * (b[at]! - second.mean),
    0,
  );
  return Math.max(-1, Math.min(1, product / (first.sd * second.sd)));
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
 * The usual deviation of values: the median of the absolute deviations from the median. If it is 0, the result is the
 * mean of these deviations, which is 0 if all values are equal.
 */
export function deviationOf(values: readonly number[]): number {
  const median = medianOf(values);
  const deviations = values.map((value) => Math.abs(value - median));
  const mean = deviations.reduce((sum, deviation) => sum + deviation, 0) / deviations.length;
  return medianOf(deviations) || mean;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return quantile(sorted, 0.5);
}
