import { normalQuantile } from './normal.ts';
import type { MeanDifference } from './difference.ts';

/** A share of runs with its confidence interval. All three numbers are from 0 to 1. */
export interface ShareInterval {
  share: number;
  low: number;
  high: number;
}

/**
 * Numbers of pairs of runs whose results are true or false: the result is true in both runs of the pair, only in the
 * run of A, only in the run of B, or in neither run.
 */
export interface PairCounts {
  both: number;
  onlyA: number;
  onlyB: number;
  neither: number;
}

/** The number of true values, and the number of all values. The values are zeros and ones. */
export function countTrue(values: readonly number[]): { count: number; n: number } {
  return { count: values.filter((value) => value === 1).length, n: values.length };
}

/** Counts pairs. The values are zeros and ones; value n of `a` and value n of `b` are a pair. */
export function pairCounts(a: readonly number[], b: readonly number[]): PairCounts {
  const pairs = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
  for (const [at, value] of a.entries()) {
    const inA = value === 1;
    const inB = b[at] === 1;
    if (inA && inB) pairs.both += 1;
    else if (inA) pairs.onlyA += 1;
    else if (inB) pairs.onlyB += 1;
    else pairs.neither += 1;
  }
  return pairs;
}

/**
 * Wilson's score interval of a share. It stays between 0 and 1, and its width is above 0 even if the result is true in
 * all runs or in no run.
 *
 * E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
 * Statistical Association 22 (1927) 209-212; method 3 of R. G. Newcombe, "Two-sided confidence intervals for the single
 * proportion: comparison of seven methods", Statistics in Medicine 17 (1998) 857-872.
 *
 * @param share - from 0 to 1
 * @param n - the number of independent runs, more than 0. It may be an effective number that is not whole
 * @param confidence - between 0 and 1, such as 0.95
 * @throws RangeError if `share` or `n` is outside its limits
 */
export function wilsonInterval(share: number, n: number, confidence: number): ShareInterval {
  const half = wilsonHalfWidth(share, n, confidence);
  const square = scoreOf(confidence) ** 2;
  const middle = (share + square / (2 * n)) / (1 + square / n);
  // for a share of 0 or 1, one end is known exactly, so rounding must not change it
  return {
    share,
    low: share === 0 ? 0 : Math.max(0, middle - half),
    high: share === 1 ? 1 : Math.min(1, middle + half),
  };
}

/** Half the width of Wilson's interval. It has the parameters and errors of {@link wilsonInterval}. */
export function wilsonHalfWidth(share: number, n: number, confidence: number): number {
  if (!(share >= 0 && share <= 1)) throw new RangeError(`${share} is not a share`);
  if (!(n > 0 && n < Infinity)) throw new RangeError(`${n} is not a number of runs`);
  const z = scoreOf(confidence);
  return (z * Math.sqrt(n * share * (1 - share) + (z * z) / 4)) / (n + z * z);
}

/** The share of ones among zeros and ones, without the rounding error of their mean. */
export function shareOf(mean: number, n: number): number {
  return Math.round(mean * n) / n;
}

/** The half-width of an interval in standard deviations of a normal distribution. */
function scoreOf(confidence: number): number {
  return normalQuantile((1 + confidence) / 2);
}

/**
 * The share in `b` minus the share in `a`, for two independent samples, with Newcombe's hybrid score interval, which
 * combines the Wilson intervals of both shares.
 *
 * Method 10 of R. G. Newcombe, "Interval estimation for the difference between independent proportions: comparison of
 * eleven methods", Statistics in Medicine 17 (1998) 873-890.
 *
 * @param a - the number of runs whose result is true, and the number of all runs; `b` has the same form
 * @param confidence - between 0 and 1, such as 0.95
 * @throws RangeError if a sample has no runs, or its share is not between 0 and 1
 */
export function shareDifference(
  a: { count: number; n: number },
  b: { count: number; n: number },
  confidence: number,
): MeanDifference {
  const ofA = wilsonInterval(a.count / a.n, a.n, confidence);
  const ofB = wilsonInterval(b.count / b.n, b.n, confidence);
  return hybrid(ofA, ofB, 0);
}

/**
 * The share in `b` minus the share in `a` in pairs of runs, with Newcombe's hybrid score interval for paired data. The
 * width of this interval is always above 0, and its ends stay within -1 and 1. Student's interval for the mean of the
 * differences has the width 0 if the two results are the same in each pair, and its ends may be outside of -1 and 1.
 * Tango's interval is almost the same as this interval, but needs iteration.
 *
 * Method 10 of R. G. Newcombe, "Improved confidence intervals for the difference between binomial proportions based on
 * paired data", Statistics in Medicine 17 (1998) 2635-2650.
 *
 * @param confidence - between 0 and 1, such as 0.95
 * @throws RangeError when there are no pairs
 */
export function pairedShareDifference(
  { both, onlyA, onlyB, neither }: PairCounts,
  confidence: number,
): MeanDifference {
  const n = both + onlyA + onlyB + neither;
  const a = wilsonInterval((both + onlyA) / n, n, confidence);
  const b = wilsonInterval((both + onlyB) / n, n, confidence);
  const margins = (both + onlyA) * (onlyB + neither) * (both + onlyB) * (onlyA + neither);
  const product = both * neither - onlyA * onlyB;
  // the paper uses this correction for continuity only if the correlation is positive
  const corrected = product > 0 ? Math.max(product - n / 2, 0) : product;
  return hybrid(a, b, margins === 0 ? 0 : corrected / Math.sqrt(margins));
}

/**
 * Makes the interval of a difference from the intervals of two shares. The distances from the shares to the ends of
 * their intervals are combined by the law of cosines, as if they were sides of a triangle.
 */
function hybrid(a: ShareInterval, b: ShareInterval, correlation: number): MeanDifference {
  const difference = b.share - a.share;
  const side = (one: number, other: number): number =>
    Math.sqrt(Math.max(0, one ** 2 - 2 * correlation * one * other + other ** 2));
  return {
    difference,
    low: Math.max(-1, difference - side(b.share - b.low, a.high - a.share)),
    high: Math.min(1, difference + side(b.high - b.share, a.share - a.low)),
  };
}
