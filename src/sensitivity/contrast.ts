import { pairCounts, pairedShareDifference, shareDifference } from '../statistics/share.ts';
import { studentQuantile } from '../statistics/student.ts';
import { studentTails } from '../statistics/tests.ts';
import type { Interval } from './analysis.ts';
import { momentsOf } from './moments.ts';
import { commonReplications, type ErrorVariance, type Replicate, valuesAt } from './replicates.ts';

/** A term of a weighted sum of means: the weight of a point, and the values from which its mean was computed. */
export interface Term {
  weight: number;
  replicates: readonly Replicate[];
}

/** The uncertainty of a sum of weighted means. */
export interface Certainty {
  interval: Interval;
  /** The p-value of the hypothesis that the sum is 0. */
  p: number;
}

/**
 * The uncertainty of a sum of weighted means.
 *
 * - With common random numbers, the sum is computed for each replication separately. These sums are the values of a
 *   sample, with Student's interval.
 * - If all points have a common error variance, the uncertainty comes from that variance.
 * - Otherwise the uncertainty comes from the variance of each point: F. E. Satterthwaite, "An approximate distribution
 *   of estimates of variance components", Biometrics Bulletin 2 (1946) 110-114.
 *
 * @param value - the sum
 * @returns undefined if there are too few replications
 */
export function certaintyOf(
  value: number,
  terms: readonly Term[],
  confidence: number,
  { isPaired, error }: { isPaired: boolean; error?: ErrorVariance | undefined },
): Certainty | undefined {
  if (isPaired) {
    const points = terms.map(({ replicates }) => replicates);
    const common = commonReplications(points);
    if (common.length < 2) return undefined;
    const table = points.map((point) => valuesAt(point, common));
    const sums = common.map((_, r) => terms.reduce((sum, { weight }, i) => sum + weight * table[i]![r]!, 0));
    return certainty(value, momentsOf(sums).variance / common.length, common.length - 1, confidence);
  }
  if (error) {
    const inverse = terms.reduce((sum, { weight, replicates }) => sum + weight ** 2 / replicates.length, 0);
    return certainty(value, error.variance * inverse, error.freedom, confidence);
  }
  if (terms.some(({ replicates }) => replicates.length < 2)) return undefined;
  const parts = terms.map(({ weight, replicates }) => {
    const { variance } = momentsOf(replicates.map((one) => one.value));
    return { variance: (weight ** 2 * variance) / replicates.length, freedom: replicates.length - 1 };
  });
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  const squares = parts.reduce((sum, part) => sum + part.variance ** 2 / part.freedom, 0);
  return certainty(value, variance, variance === 0 ? 1 : Math.max(1, variance ** 2 / squares), confidence);
}

function certainty(value: number, variance: number, freedom: number, confidence: number): Certainty {
  const error = Math.sqrt(variance);
  const half = studentQuantile((1 + confidence) / 2, freedom) * error;
  return {
    interval: [value - half, value + half],
    p: error === 0 ? Number(value === 0) : studentTails(value / error, freedom),
  };
}

/**
 * The interval of a share at one point minus the share at another point, as in a comparison of campaigns. Student's
 * interval would have no width if the results of each point are equal.
 *
 * @returns undefined if there are too few replications
 */
export function shareChange(
  from: readonly Replicate[],
  to: readonly Replicate[],
  confidence: number,
  isPaired: boolean,
): Interval | undefined {
  const common = isPaired ? commonReplications([from, to]) : [];
  if ((isPaired ? common.length : Math.min(from.length, to.length)) < 2) return undefined;
  const { low, high } = isPaired
    ? pairedShareDifference(pairCounts(valuesAt(from, common), valuesAt(to, common)), confidence)
    : shareDifference(trueOf(from), trueOf(to), confidence);
  return [low, high];
}

function trueOf(replicates: readonly Replicate[]): { count: number; n: number } {
  return { count: replicates.filter(({ value }) => value === 1).length, n: replicates.length };
}
