import type { Statistics } from '../../src/service/models/model.ts';
import { Sample } from '../../src/statistics/sample.ts';

/**
 * A local name for Infinity. In a context of Node's vm, such as under Jest, each use of a global is a lookup by name.
 */
const LARGEST = Infinity;

/** Statistics of values with equal weights, such as waiting times of customers. */
export class Tally extends Sample {
  #smallest = Infinity;
  #largest = -Infinity;

  /** @throws RangeError when the value is NaN or undefined */
  override add(value: number): void {
    // all comparisons with NaN are false
    if (!(value <= LARGEST)) throw new RangeError(`A value of a statistic cannot be ${value}`);
    super.add(value);
    if (value < this.#smallest) this.#smallest = value;
    if (value > this.#largest) this.#largest = value;
  }

  override reset(): void {
    super.reset();
    this.#smallest = Infinity;
    this.#largest = -Infinity;
  }

  /** The value of an output of type STATISTICS_DISCRETE. */
  statistics(): Statistics {
    const { count, mean, variance } = this;
    return {
      type: 'discrete',
      count,
      min: count > 0 ? this.#smallest : null,
      max: count > 0 ? this.#largest : null,
      mean,
      variance,
      deviation: variance === null ? null : Math.sqrt(variance),
      sum: this.sum,
    };
  }
}
