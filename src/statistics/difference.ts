import { chanceVariance, largestSquaredJump, type Spread } from './chance.ts';
import { halfWidth } from './sample.ts';
import { studentQuantile } from './student.ts';

/** A difference of two means, with its confidence interval. */
export interface MeanDifference {
  difference: number;
  low: number;
  high: number;
}

/**
 * The mean of the differences of pairs, with Student's interval. Its variance is at least as large as chance allows.
 *
 * @param differences - the differences of at least two pairs
 * @param confidence - between 0 and 1, such as 0.95
 * @param squaredJump - the squared jump of single values (`squaredJumpOf`). Without it, equal differences have no interval
 * @returns undefined if the variance is unknown or 0 (`chanceVariance`), for example if `squaredJump` is null and the
 *   differences are so alike that they do not show the chance (`hidesChance`)
 * @throws RangeError if there are fewer than two pairs, or `confidence` is not below 1
 */
export function pairedDifference(
  differences: Spread,
  confidence: number,
  squaredJump: number | null = null,
): MeanDifference | undefined {
  const { count, mean } = differences;
  if (mean === null || count < 2) throw new RangeError('there are too few pairs');
  const variance = chanceVariance(differences, squaredJump);
  return variance ? around(mean, halfWidth(count, Math.sqrt(variance), confidence)) : undefined;
}

/**
 * The mean of `b` minus the mean of `a`, for two independent samples that may have different variances. Each variance is at
 * least as large as chance allows. If all values of a sample are equal, it may have the jumps of the other sample.
 *
 * B. L. Welch, "The generalization of 'Student's' problem when several different population variances are involved",
 * Biometrika 34 (1947) 28-35, with the degrees of freedom of F. E. Satterthwaite, "An approximate distribution of
 * estimates of variance components", Biometrics Bulletin 2 (1946) 110-114.
 *
 * @param a - a sample with at least two values; the same holds for `b`
 * @param confidence - between 0 and 1, such as 0.95
 * @returns undefined if all values of both samples are equal, or if a variance is unknown (`chanceVariance`)
 * @throws RangeError if a sample has fewer than two values, or if `confidence` is not below 1 and at least one sample
 * has different values
 */
export function welchDifference(a: Spread, b: Spread, confidence: number): MeanDifference | undefined {
  if (a.count < 2 || b.count < 2) throw new RangeError('each sample needs two values');
  const difference = b.mean! - a.mean!;
  const squaredJump = largestSquaredJump([a, b]);
  const [varianceOfA, varianceOfB] = [chanceVariance(a, squaredJump), chanceVariance(b, squaredJump)];
  if (varianceOfA === null || varianceOfB === null) return undefined;
  const [ofA, ofB] = [varianceOfA / a.count, varianceOfB / b.count];
  const variance = ofA + ofB;
  if (variance === 0) return undefined;
  const freedom = 1 / ((ofA / variance) ** 2 / (a.count - 1) + (ofB / variance) ** 2 / (b.count - 1));
  // rounding may make the degrees of freedom smaller than 1, their lower bound
  const quantile = studentQuantile((1 + confidence) / 2, Math.max(1, freedom));
  return around(difference, quantile * Math.sqrt(variance));
}

function around(difference: number, half: number): MeanDifference {
  return { difference, low: difference - half, high: difference + half };
}
