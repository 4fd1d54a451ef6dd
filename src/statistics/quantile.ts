/**
 * A quantile of a sample, by linear interpolation between the order statistics: definition 7 of R. J. Hyndman and Y. Fan,
 * "Sample quantiles in statistical packages", The American Statistician 50 (1996) 361-365, which NumPy, pandas, DuckDB's
 * `quantile_cont` and R take unless told otherwise.
 *
 * @param sorted - the values, the lowest first; at least one
 * @param p - from 0 to 1
 * @throws RangeError without values, or when p is out of its range
 */
export function quantile(sorted: readonly number[] | Float64Array, p: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`${p} is not from 0 to 1`);
  if (sorted.length === 0) throw new RangeError('nothing has no quantiles');
  const at = (sorted.length - 1) * p;
  const below = sorted[Math.floor(at)]!;
  const above = sorted[Math.ceil(at)]!;
  // equal ones are taken as they are: an infinite value is its own neighbour
  return below === above ? below : below + (above - below) * (at - Math.floor(at));
}
