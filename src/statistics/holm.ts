/**
 * P-values that allow for the number of tests: if each test whose adjusted value is below a level is called
 * significant, the probability of any false claim is at most this level. S. Holm, "A simple sequentially rejective
 * multiple test procedure", Scandinavian Journal of Statistics 6 (1979) 65-70.
 *
 * @param ps - the p-value of each test, from 0 to 1
 * @returns the adjusted values in the same order
 */
export function holm(ps: readonly number[]): number[] {
  const order = [...ps.keys()].sort((a, b) => ps[a]! - ps[b]!);
  const adjusted = new Array<number>(ps.length);
  let largest = 0;
  for (const [rank, at] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (ps.length - rank) * ps[at]!));
    adjusted[at] = largest;
  }
  return adjusted;
}
