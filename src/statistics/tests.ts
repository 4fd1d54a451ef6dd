import { incompleteBeta } from './beta.ts';

/**
 * The probability that Fisher's F is above a value (26.6.2 of M. Abramowitz and I. A. Stegun, Handbook of Mathematical
 * Functions, 1964).
 *
 * @param f - from 0
 * @param above - degrees of freedom of the numerator, from 1
 * @param below - degrees of freedom of the denominator, from 1
 */
export function fisherTail(f: number, above: number, below: number): number {
  if (f === Infinity) return 0;
  return incompleteBeta(below / (below + above * f), below / 2, above / 2);
}

/**
 * The probability that the size of Student's t is above that of a value.
 *
 * @param freedom - degrees of freedom, from 1
 */
export function studentTails(t: number, freedom: number): number {
  return fisherTail(t * t, 1, freedom);
}
