import { halfWidth, type Sample } from './sample.ts';
import { studentQuantile } from './student.ts';

/** A difference of two means, with its confidence interval. */
export interface MeanDifference {
  difference: number;
  low: number;
  high: number;
}

/**
 * The mean of the differences of pairs, with Student's interval.
 *
 * @param differences - the differences of at least two pairs
 * @param confidence - between 0 and 1, such as 0.95
 * @throws RangeError if there are fewer than two pairs, or `confidence` is not below 1
 */
export function pairedDifference(differences: Sample, confidence: number): MeanDifference {
  const { count, mean, variance } = differences;
  if (mean === null || variance === null) throw new RangeError('there are no pairs');
  return around(mean, halfWidth(count, Math.sqrt(variance), confidence));
}

/**
 * The mean of `b` minus the mean of `a`, for two independent samples that may have different variances.
 *
 * B. L. Welch, "The generalization of 'Student's' problem when several different population variances are involved",
 * Biometrika 34 (1947) 28-35, with the degrees of freedom of F. E. Satterthwaite, "An approximate distribution of
 * estimates of variance components", Biometrics Bulletin 2 (1946) 110-114.
 *
 * @param a - a sample with at least two values; the same holds for `b`
 * @param confidence - between 0 and 1, such as 0.95
 * @throws RangeError if a sample has fewer than two values, or if `confidence` is not below 1 and at least one sample
 * has different values
 */
export function welchDifference(a: Sample, b: Sample, confidence: number): MeanDifference {
  if (a.count < 2 || b.count < 2) throw new RangeError('each sample needs two values');
  const difference = b.mean! - a.mean!;
  const [ofA, ofB] = [a.variance! / a.count, b.variance! / b.count];
  const variance = ofA + ofB;
  if (variance === 0) return around(difference, 0);
  const freedom = 1 / ((ofA / variance) ** 2 / (a.count - 1) + (ofB / variance) ** 2 / (b.count - 1));
  // rounding may make the degrees of freedom smaller than 1, their lower bound
  const quantile = studentQuantile((1 + confidence) / 2, Math.max(1, freedom));
  return around(difference, quantile * Math.sqrt(variance));
}

function around(difference: number, half: number): MeanDifference {
  return { difference, low: difference - half, high: difference + half };
}
