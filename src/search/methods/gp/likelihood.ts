import { Cholesky, dot } from './cholesky.ts';
import { Covariance, type Parameters } from './covariance.ts';
import type { Dimension } from '../method.ts';

/** A log marginal likelihood and its derivatives. */
export interface Likelihood {
  value: number;
  /** The derivative with respect to the logarithm of each length scale. */
  byLength: Float64Array;
  /** The derivative with respect to the logarithm of the signal's variance. */
  bySignal: number;
  /** The derivative with respect to each value. */
  byValue: Float64Array;
  /** The derivative with respect to the variance of the noise of each value. */
  byNoise: Float64Array;
}

/**
 * The logarithm of the density of values under a Gaussian process of mean 0, and its derivatives: C. E. Rasmussen and
 * C. K. I. Williams, "Gaussian Processes for Machine Learning" (2006), equations 5.8 and 5.9.
 *
 * @param noise - the variance of each value about the process
 * @returns null when rounding has made the covariance matrix singular
 */
export function likelihood(
  dimensions: readonly Dimension[],
  parameters: Parameters,
  points: readonly (readonly number[])[],
  values: Float64Array,
  noise: Float64Array,
): Likelihood | null {
  const covariance = new Covariance(dimensions, parameters);
  const n = points.length;
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < i; j += 1) matrix[i * n + j] = covariance.between(points[i]!, points[j]!);
    matrix[i * n + i] = covariance.variance + noise[i]!;
  }
  const factor = Cholesky.of(matrix, n);
  if (!factor) return null;
  const weights = values.slice();
  factor.solveLower(weights);
  factor.solveUpper(weights);
  const value = -0.5 * (dot(values, 0, weights, 0, n) + factor.logDeterminant() + n * Math.log(2 * Math.PI));

  const inverse = factor.inverse();
  const byLength = new Float64Array(covariance.size);
  let bySignal = 0;
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < i; j += 1) {
      const share = weights[i]! * weights[j]! - inverse[i * n + j]!;
      bySignal += share * (matrix[i * n + j]! - parameters.constant);
      const slope = share * covariance.slope(covariance.distance(points[i]!, points[j]!));
      for (let k = 0; k < byLength.length; k += 1) {
        byLength[k]! -= 2 * slope * covariance.squareIn(k, points[i]![k]!, points[j]![k]!);
      }
    }
  }
  const byNoise = Float64Array.from(weights, (weight, i) => 0.5 * (weight ** 2 - inverse[i * n + i]!));
  for (const share of byNoise) bySignal += share * parameters.signal;
  return { value, byLength, bySignal, byValue: weights.map((weight) => -weight), byNoise };
}
