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
