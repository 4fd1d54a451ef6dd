/**
 * A quantile of a sample, by linear interpolation between the order statistics: definition 7 of R. J. Hyndman and Y.
 * Fan, "Sample quantiles in statistical packages", The American Statistician 50 (1996) 361-365, which is the default of
 * NumPy, pandas, DuckDB's `quantile_cont` and R.
 *
 * @param sorted - the values, the lowest first; at least one
 * @param p - from 0 to 1
 * @throws RangeError without values, or when p is not from 0 to 1
 */
export function quantile(sorted: readonly number[] | Float64Array, p: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`${p} is not from 0 to 1`);
  if (sorted.length === 0) throw new RangeError('an empty sample has no quantiles');
  const at = (sorted.length - 1) * p;
  const below = sorted[Math.floor(at)]!;
  const above = sorted[Math.ceil(at)]!;
  // equal values are not interpolated, because infinite values would give NaN
  if (below === above) return below;
  // the halves of the values are interpolated, because the difference of two numbers may overflow
  return 2 * (below / 2 + (above / 2 - below / 2) * (at - Math.floor(at)));
}

/** A confidence interval of a quantile of the distribution. Both ends are values of the sample. */
export interface QuantileInterval {
  low: number;
  high: number;
}

/**
 * A confidence interval of a quantile, from one value of the sample to another. It is valid for any distribution,
 * because the number of values below the quantile is binomial. The quantile is below the interval with a probability of
 * at most (1 - confidence) / 2, and the same holds above it.
 *
 * W. R. Thompson, "On confidence ranges for the median and other expectation distributions for populations of unknown
 * distribution form", Annals of Mathematical Statistics 7 (1936) 122-128; section 7.1 of H. A. David and H. N.
 * Nagaraja, "Order Statistics", 3rd edition, Wiley 2003.
 *
 * @param sorted - independent values, the lowest first
 * @param p - between 0 and 1, both excluded
 * @param confidence - between 0 and 1, such as 0.95
 * @returns null if there are too few values
 */
export function quantileInterval(
  sorted: readonly number[] | Float64Array,
  p: number,
  confidence: number,
): QuantileInterval | null {
  const n = sorted.length;
  const tail = (1 - confidence) / 2;
  const low = rankBelow(n, p, tail);
  const high = n + 1 - rankBelow(n, 1 - p, tail);
  return low < 1 || high > n ? null : { low: sorted[low - 1]!, high: sorted[high - 1]! };
}

/**
 * The largest rank for which the quantile is below the value of that rank with a probability of at most `tail`. Ranks
 * count from 1. The result is 0 if there is no such rank.
 */
function rankBelow(n: number, p: number, tail: number): number {
  const logOdds = Math.log(p) - Math.log1p(-p);
  // in logarithms, because with many values the first probabilities would underflow
  let logProbability = n * Math.log1p(-p);
  let sum = 0;
  for (let rank = 0; rank < n; rank += 1) {
    sum += Math.exp(logProbability);
    if (sum > tail) return rank;
    logProbability += Math.log((n - rank) / (rank + 1)) + logOdds;
  }
  return n;
}

/**
 * The quantile of `b` minus the quantile of `a`. The interval combines the intervals of both quantiles, each with half
 * of the error probability. By C. E. Bonferroni's inequality it is valid for all distributions, and also for runs in
 * pairs. It may be wider than necessary.
 *
 * @param a - at least one value, the lowest first; the same holds for `b`
 * @param p - between 0 and 1, both excluded
 * @param confidence - between 0 and 1, such as 0.95
 * @returns the difference and the ends of its interval; the ends are null if a sample has too few values
 */
export function quantileDifference(
  a: readonly number[] | Float64Array,
  b: readonly number[] | Float64Array,
  p: number,
  confidence: number,
): { difference: number; low: number | null; high: number | null } {
  const difference = quantile(b, p) - quantile(a, p);
  const each = (1 + confidence) / 2;
  const [ofA, ofB] = [quantileInterval(a, p, each), quantileInterval(b, p, each)];
  if (!ofA || !ofB) return { difference, low: null, high: null };
  return { difference, low: ofB.low - ofA.high, high: ofB.high - ofA.low };
}
