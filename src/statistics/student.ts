import { betaFraction } from './beta.ts';
import { normalQuantile } from './normal.ts';

/**
 * The quantile of Student's t, to 1 part in 10^12.
 *
 * Newton's method finds the logarithm of t at which the logarithm of a probability has the wanted value. On that scale,
 * both P(|T| > t) and P(|T| < t) are concave. So the iteration stays on one side of the solution, even if it begins far
 * away, and no intermediate value under- or overflows. The smaller of the two probabilities is used, because its
 * complement would lose digits. With very many degrees of freedom, the quantile comes from an expansion about the
 * quantile of the normal distribution.
 *
 * @param p - between 0 and 1, both excluded
 * @param freedom - the degrees of freedom, at least 1
 * @throws RangeError if a parameter is outside its limits
 */
export function studentQuantile(p: number, freedom: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`${p} is not between 0 and 1`);
  if (!(freedom >= 1 && freedom < Infinity))
    throw new RangeError(`${freedom} is not a number of degrees of freedom`);
  if (p === 0.5) return 0;
  if (freedom > MANY) return expanded(normalQuantile(p), freedom);
  const outside = 2 * Math.min(p, 1 - p);
  const size = outside < 0.5 ? beyond(outside, freedom) : within(Math.abs(2 * p - 1), freedom);
  return p < 0.5 ? -size : size;
}

/**
 * The maximum number of degrees of freedom for Newton's method. With more, the solution would lie in the last digits of
 * a number near 1, so the expansion is used. With fewer, the expansion would need more terms.
 */
const MANY = 1e5;

/**
 * The expansion of R. A. Fisher and E. A. Cornish, "The percentile points of distributions having known cumulants",
 * Technometrics 2 (1960) 209-225, as in 26.7.5 of M. Abramowitz and I. A. Stegun, Handbook of
 * Mathematical Functions (1964).
 */
function expanded(z: number, freedom: number): number {
  const s = z * z;
  const g1 = (s + 1) / 4;
  const g2 = ((5 * s + 16) * s + 3) / 96;
  const g3 = (((3 * s + 19) * s + 17) * s - 15) / 384;
  const g4 = ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160;
  return z + (z * (g1 + (g2 + (g3 + g4 / freedom) / freedom) / freedom)) / freedom;
}

/**
 * The t > 0 with P(|T| > t) = probability. The iteration starts above the solution, from the leading power of the
 * density.
 */
function beyond(probability: number, freedom: number): number {
  const start = -(Math.log((freedom / 2) * probability) + logBeta(freedom)) / freedom;
  return solve('outside', Math.log(probability), start + Math.log(freedom) / 2, freedom);
}

/** The t > 0 with P(|T| < t) = probability. The iteration starts below the solution, from the density at 0. */
function within(probability: number, freedom: number): number {
  const start = Math.log(probability / 2) + logBeta(freedom);
  return solve('inside', Math.log(probability), start + Math.log(freedom) / 2, freedom);
}

function solve(side: 'inside' | 'outside', wanted: number, start: number, freedom: number): number {
  const stepFrom = (at: number): number => {
    const { log, slope } = probabilities(at, freedom)[side];
    return (wanted - log) / slope;
  };
  let at = start;
  let step = stepFrom(at);
  // all steps have the same direction, until only rounding errors remain
  const direction = Math.sign(step);
  while (Math.abs(step) > NEAR && Math.sign(step) === direction) {
    at += step;
    step = stepFrom(at);
  }
  return Math.exp(at + step);
}

/**
 * After a step of this size, the next step would be smaller than the precision of a double. Near the solution, the size
 * of each step is about the square of the size of the step before.
 */
const NEAR = 1e-9;

/**
 * The logarithms of P(|T| > t) and of P(|T| < t), and their derivatives with respect to the logarithm of t. The
 * probabilities are incomplete beta functions (26.5.27 and 26.7.1 of the Handbook).
 *
 * @param at - the logarithm of t
 */
function probabilities(at: number, freedom: number) {
  const a = freedom / 2;
  const logOdds = 2 * at - Math.log(freedom);
  // the logarithms of x = freedom / (freedom + t²) and of 1 - x
  const logX = -softplus(logOdds);
  const logRest = -softplus(-logOdds);
  const logFactor = a * logX + logRest / 2 - logBeta(freedom);
  // the continued fraction for x converges fast below this bound, and that for 1 - x above it
  const isFastForX = Math.exp(logX) < (a + 1) / (a + 2.5);
  const log = isFastForX
    ? logFactor + Math.log(betaFraction(Math.exp(logX), a, 0.5) / a)
    : logFactor + Math.log(betaFraction(Math.exp(logRest), 0.5, a) / 0.5);
  const other = Math.log1p(-Math.exp(log));
  const [outside, inside] = isFastForX ? [log, other] : [other, log];
  return {
    outside: { log: outside, slope: -2 * Math.exp(logFactor - outside) },
    inside: { log: inside, slope: 2 * Math.exp(logFactor - inside) },
  };
}

/**
 * log B(freedom / 2, 1/2), from the asymptotic series of log Γ(x + 1/2) - log Γ(x) (6.1.40 of the Handbook). An x below
 * 20 is first raised to at least 20, where the series is precise.
 */
function logBeta(freedom: number): number {
  let x = freedom / 2;
  let product = 1;
  for (; x < 20; x += 1) product *= x / (x + 0.5);
  const y = 1 / (x * x);
  const series = (-1 / 8 + y * (1 / 192 + y * (-1 / 640 + (y * 17) / 14336))) / x;
  return Math.log(Math.PI / x) / 2 - series - Math.log(product);
}

/** log(1 + e^x) */
function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}
