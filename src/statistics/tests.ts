import { incompleteBeta } from './beta.ts';

/**
 * The probability that Fisher's F is above a value (26.6.2 of M. Abramowitz and I. A. Stegun, Handbook of Mathematical
 * Functions, 1964).
 *
 * @param f - at least 0
 * @param above - the degrees of freedom of the numerator, at least 1
 * @param below - the degrees of freedom of the denominator, at least 1
 */
export function fisherTail(f: number, above: number, below: number): number {
  if (f === Infinity) return 0;
  return incompleteBeta(below / (below + above * f), below / 2, above / 2);
}

/**
 * The probability that the absolute value of Student's t is larger than the absolute value of `t`.
 *
 * @param freedom - the degrees of freedom, at least 1
 */
export function studentTails(t: number, freedom: number): number {
  return fisherTail(t * t, 1, freedom);
}

/** Two probabilities that differ by less than this share of their size are equal: the difference comes from rounding. */
const ROUNDING = 1e-9;

/**
 * The two-sided p-value of a count: the probability of all counts that are at most as probable as this one.
 *
 * @param ratio - the probability of a count + 1, divided by that of the count
 */
function exactTails(count: number, least: number, most: number, ratio: (count: number) => number): number {
  // all probabilities here are divided by the probability of the count
  let [all, tails] = [1, 1];
  const walk = (to: number, factor: (at: number) => number): void => {
    const step = Math.sign(to - count);
    for (let [at, weight] = [count, 1]; at !== to; at += step) {
      weight *= factor(at);
      all += weight;
      if (weight <= 1 + ROUNDING) tails += weight;
    }
  };
  walk(most, ratio);
  walk(least, (at) => 1 / ratio(at - 1));
  return tails / all;
}

/**
 * Fisher's exact p-value for the equality of two shares.
 *
 * R. A. Fisher, "Statistical Methods for Research Workers", 5th edition, Oliver and Boyd 1934, section 21.02.
 *
 * @param a - the number of runs whose result is true, and the number of all runs; `b` has the same form
 */
export function exactTailsOfShares(a: { count: number; n: number }, b: { count: number; n: number }): number {
  const trues = a.count + b.count;
  return exactTails(
    a.count,
    Math.max(0, trues - b.n),
    Math.min(trues, a.n),
    (count) => ((a.n - count) * (trues - count)) / ((count + 1) * (b.n - trues + count + 1)),
  );
}

/**
 * The exact p-value for the equality of two shares in pairs of runs: a sign test of the pairs whose results differ.
 *
 * Q. McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
 * Psychometrika 12 (1947) 153-157.
 */
export function exactTailsOfPairs({ onlyA, onlyB }: { onlyA: number; onlyB: number }): number {
  const differing = onlyA + onlyB;
  return exactTails(onlyA, 0, differing, (count) => (differing - count) / (count + 1));
}
