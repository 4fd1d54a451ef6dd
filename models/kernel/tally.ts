import type { Statistics } from '../../src/service/models/model.ts';
import { Sample } from '../../src/statistics/sample.ts';

/** Statistics of values with equal weights, such as waiting times of customers. */
export class Tally extends Sample {
  private smallest = Infinity;
  private largest = -Infinity;

  override add(value: number): void {
    super.add(value);
    if (value < this.smallest) this.smallest = value;
    if (value > this.largest) this.largest = value;
  }

  override reset(): void {
    super.reset();
    this.smallest = Infinity;
    this.largest = -Infinity;
  }

  /** The value of an output of type STATISTICS_DISCRETE. */
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
