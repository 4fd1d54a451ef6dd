import type { DataSet } from '../../src/service/models/model.ts';
import type { Simulation } from './simulation.ts';

/** The priority of an event that happens after all other events at the same time. */
const LAST = 2 ** 31 - 1;

/**
 * Samples a quantity at equal distances of time. The number of samples is fixed: it depends neither on the length of
 * the run nor on the number of changes.
 */
export class TimeSeries {
  readonly times: number[] = [];
  readonly values: number[] = [];

  /**
   * Takes samples from now to a time, both included, each after all other events at its time.
   *
   * @param samples - number of samples, at least 2
   * @throws RangeError when the time is past or not finite, or there are fewer samples
   */
  constructor(simulation: Simulation, until: number, samples: number, sample: () => number) {
    const from = simulation.now;
    if (!(until >= from && until < Infinity && Number.isInteger(samples) && samples >= 2)) {
      throw new RangeError(`A time series cannot have ${samples} samples from ${from} to ${until}`);
    }
    const timeOf = (at: number): number => from + ((until - from) * at) / (samples - 1);
    const take = (at: number): void => {
      this.times.push(simulation.now);
      this.values.push(sample());
      if (at + 1 < samples) schedule(at + 1);
    };
    const schedule = (at: number): void => {
      // the last sample is exactly at the end, despite rounding
      simulation.scheduleAt(at + 1 < samples ? timeOf(at) : until, take, at, LAST);
    };
    schedule(0);
  }

  /** The value of an output of type DATA_SET. */
  data(): DataSet {
    return { dataX: [...this.times], dataY: [...this.values] };
  }
}
