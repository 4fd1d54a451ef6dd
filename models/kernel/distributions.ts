import { normalQuantile } from '../../src/statistics/normal.ts';

/**
 * Draws from distributions. All except {@link gamma} use inversion: with the same parameters, a draw always takes the
 * same number of random numbers and is monotone in them, so that common random numbers stay synchronized and their
 * effects keep their sign. Draws are in the innermost loop, and a model checks its inputs once. So a parameter is
 * checked only if a wrong value would give a draw without an end, or silently another mean.
 */

// local names for these functions: in a context of Node's vm, such as under Jest, each use of a global is a lookup by
// name
const { exp, floor, log, sqrt } = Math;
const { isInteger } = Number;
const FOREVER = Infinity;

/** Numbers uniform between 0 and 1, both excluded. The functions that draw do not check most of their parameters. */
export interface Random {
  next(): number;
}

/** Uniform between `min` and `max`. */
export function uniform(random: Random, min: number, max: number): number {
  return min + (max - min) * random.next();
}

/** Exponential, by its mean. */
export function exponential(random: Random, mean: number): number {
  return -mean * log(random.next());
}

/** Normal, by its mean and its standard deviation. */
export function normal(random: Random, mean: number, deviation: number): number {
  return mean + deviation * normalQuantile(random.next());
}

/** Lognormal: its logarithm is normal with this mean and this standard deviation. */
export function lognormal(random: Random, mean: number, deviation: number): number {
  return exp(normal(random, mean, deviation));
}

/** Triangular between `min` and `max`, with its peak at `mode`. */
export function triangular(random: Random, min: number, mode: number, max: number): number {
  const u = random.next();
  const range = max - min;
  return u * range < mode - min
    ? min + sqrt(u * range * (mode - min))
    : max - sqrt((1 - u) * range * (max - mode));
}

/**
 * Erlang, by the number of its exponential phases and the mean of their sum. A draw takes one random number per phase.
 *
 * @throws RangeError when the number of phases is not whole or not positive
 */
export function erlang(random: Random, phases: number, mean: number): number {
  if (!(isInteger(phases) && phases > 0)) {
    throw new RangeError(`An Erlang distribution cannot have ${phases} phases`);
  }
  let sum = 0;
  for (let phase = 0; phase < phases; phase++) sum += exponential(random, mean / phases);
  return sum;
}

/**
 * Gamma, with the mean shape × scale. It uses rejection, so the number of random numbers of a draw is random.
 *
 * G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", ACM Transactions on Mathematical
 * Software 26 (2000) 363-372.
 *
 * @throws RangeError when the shape is not positive or not finite
 */
export function gamma(random: Random, shape: number, scale: number): number {
  if (!(shape > 0 && shape < FOREVER)) {
    throw new RangeError(`A gamma distribution cannot have the shape ${shape}`);
  }
  if (shape < 1) return gamma(random, shape + 1, scale) * random.next() ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / sqrt(9 * d);
  for (;;) {
    const x = normal(random, 0, 1);
    const v = (1 + c * x) ** 3;
    if (v > 0 && log(random.next()) < 0.5 * x * x + d * (1 - v + log(v))) return scale * d * v;
  }
}

/** Weibull, by its shape and its scale. */
export function weibull(random: Random, shape: number, scale: number): number {
  return scale * (-log(random.next())) ** (1 / shape);
}

/** A whole number from `min` to `max`, both included. There may be at most 2^32 such numbers. */
export function discreteUniform(random: Random, min: number, max: number): number {
  return min + floor((max - min + 1) * random.next());
}

/** True with the given probability. */
export function bernoulli(random: Random, probability: number): boolean {
  return random.next() < probability;
}

/**
 * Poisson, by its mean. The time of a draw grows with the mean: a draw takes one random number for each 500 of the mean
 * or part of 500.
 *
 * @throws RangeError when the mean is infinite
 */
export function poisson(random: Random, mean: number): number {
  if (mean === FOREVER) throw new RangeError('A Poisson distribution cannot have an infinite mean');
  let count = 0;
  let left = mean;
  // for a large mean, the probability of 0 underflows; so the number is a sum of Poisson numbers with smaller means
  for (; left > MOST_AT_ONCE; left -= MOST_AT_ONCE) count += smallPoisson(random, MOST_AT_ONCE);
  return count + smallPoisson(random, left);
}

const MOST_AT_ONCE = 500;

function smallPoisson(random: Random, mean: number): number {
  const u = random.next();
  let count = 0;
  let chance = exp(-mean);
  // the loop ends: the sum reaches 1 except for rounding errors, and `u` is below 1 by more than these errors
  for (let cumulative = chance; u > cumulative; cumulative += chance) chance *= mean / ++count;
  return count;
}
