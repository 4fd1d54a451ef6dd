import { normalQuantile } from './normal.ts';
import { studentQuantile } from './student.ts';

/** The default confidence of intervals and of comparisons. */
export const CONFIDENCE = 0.95;

/** Values that differ by less than this share of their size are equal: the difference comes from rounding. */
export const ROUNDING = 1e-12;

/**
 * Mean and variance of values that are added one by one. The method is by B. P. Welford, "Note on a method for
 * calculating corrected sums of squares and products", Technometrics 4 (1962) 419-420. It stays precise if the values
 * are large and near each other. The sum of whole numbers is exact, so their mean does not depend on their order, and the
 * mean of zeros and ones is their share. A running mean would put a share just below or above a limit that it reaches.
 * Decimals that cancel, such as 0.1, 0.2 and −0.3, have the mean 0.
 */
export class Sample {
  count = 0;
  protected average = 0;
  /** The sum of the squared differences from the mean. */
  protected squares = 0;
  /** The sum while all values are whole numbers; otherwise NaN. */
  protected whole = 0;

  add(value: number): void {
    this.whole = Number.isSafeInteger(value) ? this.whole + value : NaN;
    const before = this.average;
    const difference = value - before;
    this.count += 1;
    // the difference of two large numbers may overflow, and then only the variance is unknown
    this.average += Number.isFinite(difference)
      ? difference / this.count
      : value / this.count - before / this.count;
    this.squares += difference * (value - this.average);
  }

  /** Forgets all values. */
  reset(): void {
    this.count = 0;
    this.average = 0;
    this.squares = 0;
    this.whole = 0;
  }

  get sum(): number {
    return Number.isSafeInteger(this.whole) ? this.whole : this.average * this.count;
  }

  /** The mean; null without values. */
  get mean(): number | null {
    if (this.count === 0) return null;
    if (Number.isSafeInteger(this.whole)) return this.whole / this.count;
    const spread = Math.sqrt(this.squares / this.count);
    return Number.isFinite(spread) && Math.abs(this.average) <= ROUNDING * spread ? 0 : this.average;
  }

  /** The variance of the sample, with divisor count - 1; 0 for one value, null without values. */
  get variance(): number | null {
    if (this.count === 0) return null;
    return this.count > 1 ? this.squares / (this.count - 1) : 0;
  }
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The sum of the products of numbers at the same place. */
export function dotOf(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += one[at]! * other[at]!;
  return sum;
}

/** The lowest and the highest value; Infinity and -Infinity without values. There may be too many for `Math.min(...)`. */
export function rangeOf(values: readonly number[]): [low: number, high: number] {
  return [
    values.reduce((a, b) => Math.min(a, b), Infinity),
    values.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
}

/** The mean of one or more values. */
export function meanOf(values: readonly number[]): number {
  const sample = new Sample();
  for (const value of values) sample.add(value);
  return sample.mean!;
}

/**
 * Half the width of the confidence interval of a mean, by Student's t.
 *
 * @param n - the number of independent values, at least 2
 * @param sd - their standard deviation, with divisor n - 1
 * @param confidence - between 0 and 1, such as 0.95
 * @throws RangeError if `n` is below 2, or `confidence` is not below 1
 */
export function halfWidth(n: number, sd: number, confidence: number): number {
  return (studentQuantile((1 + confidence) / 2, n - 1) * sd) / Math.sqrt(n);
}

/**
 * The factor by which the variance of Student's interval must be larger, so that the interval of skewed values contains
 * the mean as often as the confidence says, except for terms of a higher order than 1/n. P. Hall, "The Bootstrap and
 * Edgeworth Expansion", Springer 1992, section 2.6.
 *
 * @param skewness - the third central moment, divided by the cube of the standard deviation
 */
export function skewnessFactor(skewness: number, n: number, confidence: number): number {
  const square = normalQuantile((1 + confidence) / 2) ** 2;
  return 1 + (skewness ** 2 * (square ** 2 + 2 * square - 3)) / (9 * n);
}
