import { normalCdf, normalQuantile } from '../../statistics/normal.ts';
import { rounded, roundedWhole, settled } from '../rounding.ts';

export type NumericDistribution =
  | { kind: 'uniform'; min: number; max: number }
  /** The logarithm of the input is uniform; min is above 0. */
  | { kind: 'log-uniform'; min: number; max: number }
  /** With limits, the distribution is truncated; mean and sd are the values before the truncation. */
  | { kind: 'normal'; mean: number; sd: number; min?: number; max?: number }
  | { kind: 'triangular'; min: number; mode: number; max: number };

/**
 * Weights are in the order of the values, at least 0 and not all 0. Without weights, all values have the same weight.
 */
export interface ChoiceDistribution {
  kind: 'choice';
  values: readonly string[];
  weights?: readonly number[];
}

/**
 * The distribution of a sampled input. The caller guarantees that min is below max, sd is above 0, and max - min is
 * finite.
 */
export type Distribution = NumericDistribution | ChoiceDistribution;

/** At least this share of a normal distribution must lie between its limits. */
export const LEAST_MASS = 1e-290;
/**
 * Half of the smallest step between values of u, which have 53 bits. Without a minimum, u = 0 counts as this share, so
 * its normal quantile is -8.3 sd and not minus infinity.
 */
const LEAST_SHARE = 2 ** -54;

/**
 * The quantile of the distribution at u. It never decreases with u, and lies between the limits.
 *
 * It is rounded to 12 significant digits, or more if the spread is much smaller than the values. Uniform and
 * triangular quantiles are the same on every machine. The others use Math.log and Math.exp, whose last bits may differ
 * between machines. Rounding removes these bits, unless they decide how the last digit is rounded (with 12 digits, about
 * one in 10,000 of the values that differ).
 *
 * @param u - in [0, 1]; below 1 for a normal distribution without a maximum
 * @throws RangeError if less than {@link LEAST_MASS} of a normal distribution is between its limits
 */
export function quantile(distribution: NumericDistribution, u: number): number {
  const { min = -Infinity, max = Infinity } = distribution;
  return within(rounded(exactQuantile(distribution, u), ...spreadOf(distribution)), min, max);
}

/** The distance between the values of a distribution, and their size, for {@link rounded}. */
function spreadOf(distribution: NumericDistribution): [spread: number, size: number] {
  if (distribution.kind !== 'normal')
    return [distribution.max - distribution.min, Math.abs(distribution.max)];
  const { mean, sd, min = -Infinity, max = Infinity } = distribution;
  return [Math.min(sd, max - min), Math.abs(within(mean, min, max))];
}

/**
 * {@link quantile} for an input with whole numbers. With a uniform distribution, every whole number between the limits
 * has the same probability. Other quantiles are rounded to the nearest whole number between the limits. At least one
 * whole number must be between the limits.
 */
export function wholeQuantile(distribution: NumericDistribution, u: number): number {
  const { min = -Infinity, max = Infinity } = distribution;
  const [least, most] = [Math.ceil(min), Math.floor(max)];
  if (distribution.kind === 'uniform') return within(least + Math.floor(u * (most - least + 1)), least, most);
  const whole = roundedWhole(exactQuantile(distribution, u), ...spreadOf(distribution));
  return within(whole, least, most);
}

/**
 * The first value at which the cumulative share of the weights exceeds u. At u = 1 it is the last value with a weight.
 *
 * @param u - in [0, 1]
 */
export function choose({ values, weights }: ChoiceDistribution, u: number): string {
  if (!weights) return values[Math.min(Math.floor(u * values.length), values.length - 1)]!;
  let left = u * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  // rounding may leave a small remainder at the end
  return values[at === -1 ? weights.findLastIndex((weight) => weight > 0) : at]!;
}

function exactQuantile(distribution: NumericDistribution, u: number): number {
  switch (distribution.kind) {
    case 'uniform': {
      const { min, max } = distribution;
      return settled(min + (max - min) * u, min, max);
    }
    case 'log-uniform': {
      const from = Math.log(distribution.min);
      return Math.exp(from + (Math.log(distribution.max) - from) * u);
    }
    case 'normal':
      return distribution.mean + distribution.sd * standardQuantile(distribution, Math.max(u, LEAST_SHARE));
    case 'triangular': {
      const { min, mode, max } = distribution;
      const range = max - min;
      return u * range < mode - min
        ? min + Math.sqrt(u * range * (mode - min))
        : max - Math.sqrt((1 - u) * range * (max - mode));
    }
  }
}

function within(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

type Normal = Extract<NumericDistribution, { kind: 'normal' }>;

/** The share of a normal distribution between its limits. Below {@link LEAST_MASS} there is no {@link quantile}. */
export function massWithin(distribution: Normal): number {
  const { from, to } = standardLimits(distribution);
  // in the upper tail, the shares below are nearly 1, so the shares above are used
  return from > 0 ? normalCdf(-from) - normalCdf(-to) : normalCdf(to) - normalCdf(from);
}

function standardLimits({ mean, sd, min = -Infinity, max = Infinity }: Normal): { from: number; to: number } {
  return { from: (min - mean) / sd, to: (max - mean) / sd };
}

/**
 * The quantile in standard deviations from the mean, computed from the share below or the share above. It uses the
 * smaller share, because that one is more exact.
 */
function standardQuantile(distribution: Normal, u: number): number {
  const { min, max } = distribution;
  if (min === undefined && max === undefined) return normalQuantile(u);
  const { from, to } = standardLimits(distribution);
  const mass = massWithin(distribution);
  if (!(mass >= LEAST_MASS)) throw new RangeError('No part of a normal distribution is between its limits.');
  const below = normalCdf(from) + u * mass;
  const above = normalCdf(-to) + (1 - u) * mass;
  return below < above ? normalQuantile(below) : -normalQuantile(above);
}
