import type { Statistics } from '../../src/service/models/model.ts';

/**
 * Statistics of values that count alike, as waiting times of customers do. Mean and variance by B. P. Welford, "Note on a
 * method for calculating corrected sums of squares and products", Technometrics 4 (1962) 419-420, which loses no digits where
 * the values are large and near each other.
 */
export class Tally {
  count = 0;
  private smallest = Infinity;
  private largest = -Infinity;
  private average = 0;
  private squares = 0;

  add(value: number): void {
    const difference = value - this.average;
    this.count++;
    this.average += difference / this.count;
    this.squares += difference * (value - this.average);
    if (value < this.smallest) this.smallest = value;
    if (value > this.largest) this.largest = value;
  }

  /** Forgets all values. */
  reset(): void {
    this.count = 0;
    this.smallest = Infinity;
    this.largest = -Infinity;
    this.average = 0;
    this.squares = 0;
  }

  /** Null without values. */
  get mean(): number | null {
    return this.count > 0 ? this.average : null;
  }

  /** Of a sample (over count - 1), 0 of one value, null without values. */
  get variance(): number | null {
    if (this.count === 0) return null;
    return this.count > 1 ? this.squares / (this.count - 1) : 0;
  }

  /** As the value of an output STATISTICS_DISCRETE. */
  statistics(): Statistics {
    const { count, mean, variance } = this;
    return {
      type: 'discrete',
      count,
      min: count > 0 ? this.smallest : null,
      max: count > 0 ? this.largest : null,
      mean,
      variance,
      deviation: variance === null ? null : Math.sqrt(variance),
      sum: this.average * count,
    };
  }
}
