import { normalQuantile } from './normal.ts';
import type { MeanDifference } from './difference.ts';

/** A share of runs with its confidence interval; all between 0 and 1. */
export interface ShareInterval {
  share: number;
  low: number;
  high: number;
}

/** The number of all pairs, and of the pairs that are true in both, in one of the two, and in neither. */
export interface PairCounts {
  both: number;
  onlyA: number;
  onlyB: number;
  neither: number;
}

/**
 * Wilson's score interval of a share. It stays between 0 and 1, and has a width even where no run, or every run, is
 * true.
 *
 * E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
 * Statistical Association 22 (1927) 209-212; method 3 of R. G. Newcombe, "Two-sided confidence intervals for the single
 * proportion: comparison of seven methods", Statistics in Medicine 17 (1998) 857-872.
 *
 * @param share - from 0 to 1
 * @param n - number of independent runs, more than 0; an effective number need not be whole
 * @param confidence - between 0 and 1, such as 0.95
 * @throws RangeError when there is no such interval
 */
export function wilsonInterval(share: number, n: number, confidence: number): ShareInterval {
  const half = wilsonHalfWidth(share, n, confidence);
  const square = scoreOf(confidence) ** 2;
  const middle = (share + square / (2 * n)) / (1 + square / n);
  // the ends of an extreme share are exact, whatever rounding does
  return {
    share,
    low: share === 0 ? 0 : Math.max(0, middle - half),
    high: share === 1 ? 1 : Math.min(1, middle + half),
  };
}

/** Half the width of Wilson's interval. Its parameters and errors are those of {@link wilsonInterval}. */
export function wilsonHalfWidth(share: number, n: number, confidence: number): number {
  if (!(share >= 0 && share <= 1)) throw new RangeError(`${share} is no share`);
  if (!(n > 0 && n < Infinity)) throw new RangeError(`${n} is no number of runs`);
  const z = scoreOf(confidence);
  return (z * Math.sqrt(n * share * (1 - share) + (z * z) / 4)) / (n + z * z);
}

/** The share of ones among zeros and ones, without the rounding error of their mean. */
export function shareOf(mean: number, n: number): number {
  return Math.round(mean * n) / n;
}

/** How many standard deviations of a normal distribution an interval extends to each side. */
function scoreOf(confidence: number): number {
  return normalQuantile((1 + confidence) / 2);
}

/**
 * The share in `b` minus the share in `a`, for two independent samples, with Newcombe's hybrid score interval. It
 * combines the two intervals of Wilson.
 *
 * Method 10 of R. G. Newcombe, "Interval estimation for the difference between independent proportions: comparison of
 * eleven methods", Statistics in Medicine 17 (1998) 873-890.
 *
 * @param a - how many of n runs are true, as in `b`
 * @param confidence - between 0 and 1, such as 0.95
 * @throws RangeError when there is no such interval
 */
export function shareDifference(
  a: { count: number; n: number },
  b: { count: number; n: number },
  confidence: number,
): MeanDifference {
  return hybrid(
    wilsonInterval(a.count / a.n, a.n, confidence),
    wilsonInterval(b.count / b.n, b.n, confidence),
    0,
  );
}

/**
 * The share in `b` minus the share in `a` in pairs of runs, with Newcombe's hybrid score interval for paired data.
 * Student's interval of the differences has no width if no pair differs, and may leave the range from -1 to 1. This
 * interval has a width, and stays in that range. Tango's interval is almost the same, but needs iteration.
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
  // a correction for continuity, which the paper uses only for a positive correlation
  const corrected = product > 0 ? Math.max(product - n / 2, 0) : product;
  return hybrid(a, b, margins === 0 ? 0 : corrected / Math.sqrt(margins));
}

/** Combines the distances of the ends from the shares, like the sides of a triangle. */
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
