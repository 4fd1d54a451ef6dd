import { cancelsChance, chanceOfEqual } from '../statistics/chance.ts';
import { ROUNDING } from '../statistics/sample.ts';
import { countTrue, pairCounts, pairedShareDifference, shareDifference } from '../statistics/share.ts';
import { studentQuantile } from '../statistics/student.ts';
import { exactTailsOfPairs, exactTailsOfShares, studentTails } from '../statistics/tests.ts';
import type { Interval } from './analysis.ts';
import { areEqual, momentsOf } from './moments.ts';
import { commonReplications, type ErrorVariance, type Replicate, valuesAt } from './replicates.ts';

/** A term of a weighted sum of means: the weight of a point, and the values from which its mean was computed. */
export interface Term {
  weight: number;
  replicates: readonly Replicate[];
}

/** The uncertainty of a sum of weighted means. */
export interface Certainty {
  /** Left out if all values are equal: an interval of no width would be false. */
  interval?: Interval;
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
  {
    isPaired,
    error,
    least,
  }: {
    isPaired: boolean;
    error?: ErrorVariance | undefined;
    /** The variance that a point has whose values are equal. */
    least?: ErrorVariance | undefined;
  },
): Certainty | undefined {
  if (isPaired) return certaintyInPairs(value, terms, confidence);
  if (error) {
    const inverse = terms.reduce((sum, { weight, replicates }) => sum + weight ** 2 / replicates.length, 0);
    return certainty(value, error.variance * inverse, error.freedom, confidence);
  }
  if (terms.some(({ replicates }) => replicates.length < 2)) return undefined;
  const parts = terms.map(({ weight, replicates }) => {
    const own = momentsOf(replicates.map((one) => one.value));
    const variance = areEqual(own) ? (least?.variance ?? 0) : own.variance;
    return { variance: (weight ** 2 * variance) / replicates.length, freedom: replicates.length - 1 };
  });
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  // shares of the variance, because its square may be no number
  const inverse = parts.reduce((sum, part) => sum + (part.variance / variance) ** 2 / part.freedom, 0);
  const fewest = Math.min(...parts.map(({ freedom }) => freedom));
  return certainty(value, variance, variance === 0 ? fewest : Math.max(1, 1 / inverse), confidence);
}

function certaintyInPairs(value: number, terms: readonly Term[], confidence: number): Certainty | undefined {
  const points = terms.map(({ replicates }) => replicates);
  const common = commonReplications(points);
  if (common.length < 2) return undefined;
  const table = points.map((point) => valuesAt(point, common));
  const sums = common.map((_, r) => terms.reduce((sum, { weight }, i) => sum + weight * table[i]![r]!, 0));
  // the differences of equal decimals are equal only apart from rounding
  const slack =
    ROUNDING * Math.max(...terms.flatMap(({ weight }, i) => table[i]!.map((y) => Math.abs(weight * y))));
  const isZero = Math.abs(value) <= slack;
  const freedom = common.length - 1;
  const { variance } = momentsOf(sums);
  const isEqual = variance <= slack ** 2;
  if (!isEqual) return certainty(value, variance / common.length, freedom, confidence);
  if (cancelsChance(table)) return { p: isZero ? 1 : 0 };
  return certainty(isZero ? 0 : value, 0, freedom, confidence);
}

/**
 * The uncertainty of a value with an estimated variance, by Student's distribution. Equal values have no variance, and are
 * as sure as {@link chanceOfEqual} says.
 */
export function certainty(value: number, variance: number, freedom: number, confidence: number): Certainty {
  if (variance === 0) return { p: chanceOfEqual(value, freedom) };
  const error = Math.sqrt(variance);
  const half = studentQuantile((1 + confidence) / 2, freedom) * error;
  return {
    interval: [value - half, value + half],
    p: studentTails(value / error, freedom),
  };
}

/** The uncertainty of a weighted sum of means, if only the variance of a mean is known. */
export function certaintyOfMeans(
  value: number,
  weights: readonly number[],
  error: ErrorVariance | undefined,
  confidence: number,
): Certainty | undefined {
  const inverse = weights.reduce((sum, weight) => sum + weight ** 2, 0);
  return error && certainty(value, error.variance * inverse, error.freedom, confidence);
}

/** The number of halvings for the p-value of a change of shares. */
const HALVINGS = 40;

/**
 * The uncertainty of a share at one point minus the share at another point, as in a comparison of campaigns. Student's
 * interval would have no width if the results of each point are equal. The p-value belongs to the confidence at which
 * the interval ends at 0. With few runs, the interval ends there too soon, so the p-value is at least that of the exact test,
 * and the interval contains 0 if the p-value says that the shares may be equal.
 *
 * @returns undefined if there are too few replications
 */
export function shareChange(
  from: readonly Replicate[],
  to: readonly Replicate[],
  confidence: number,
  isPaired: boolean,
): Certainty | undefined {
  const common = isPaired ? commonReplications([from, to]) : [];
  if ((isPaired ? common.length : Math.min(from.length, to.length)) < 2) return undefined;
  const pairs = isPaired ? pairCounts(valuesAt(from, common), valuesAt(to, common)) : undefined;
  const before = countTrue(from.map(({ value }) => value));
  const after = countTrue(to.map(({ value }) => value));
  const intervalAt = (level: number): Interval => {
    const { low, high } = pairs ? pairedShareDifference(pairs, level) : shareDifference(before, after, level);
    return [low, high];
  };
  let [least, most] = [0, 1];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const p = (least + most) / 2;
    const [low, high] = intervalAt(1 - p);
    if (low > 0 || high < 0) most = p;
    else least = p;
  }
  const p = Math.max(most, pairs ? exactTailsOfPairs(pairs) : exactTailsOfShares(before, after));
  const [low, high] = intervalAt(confidence);
  const mayBeEqual = p > 1 - confidence;
  return { interval: mayBeEqual ? [Math.min(0, low), Math.max(0, high)] : [low, high], p };
}
