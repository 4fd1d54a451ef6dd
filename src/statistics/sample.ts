import { studentQuantile } from './student.ts';

/**
 * Mean and variance of values that are added one by one. The method is by B. P. Welford, "Note on a method for
 * calculating corrected sums of squares and products", Technometrics 4 (1962) 419-420. It stays precise if the values
 * are large and near each other.
 */
export class Sample {
  count = 0;
  protected average = 0;
  protected squares = 0;

  add(value: number): void {
    const difference = value - this.average;
    this.count++;
    this.average += difference / this.count;
    this.squares += difference * (value - this.average);
  }

  /** Forgets all values. */
  reset(): void {
    this.count = 0;
    this.average = 0;
    this.squares = 0;
  }

  /** The mean; null without values. */
  get mean(): number | null {
    return this.count > 0 ? this.average : null;
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

/**
 * The mean of values. The sum of whole numbers is exact, so the mean of zeros and ones is their share without the
 * rounding errors of a running mean, which would put a share just below or above a limit that it reaches.
 *
 * @param values - at least one
 */
export function meanOf(values: readonly number[]): number {
  const sum = sumOf(values);
  if (Number.isSafeInteger(sum) && values.every(Number.isSafeInteger)) return sum / values.length;
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
