import type { DataSet } from '../../src/service/models/model.ts';
import type { Simulation } from './simulation.ts';

/** After whatever else happens at a time. */
const LAST = 2 ** 31 - 1;

/** Samples of a quantity at equal distances of time, as many as asked for, however long the run and however often it changes. */
export class TimeSeries {
  readonly times: number[] = [];
  readonly values: number[] = [];

  /**
   * Samples from now to a time, both included, each as it is when all else at its time has happened.
   *
   * @param samples - how many, at least 2
   */
  constructor(simulation: Simulation, until: number, samples: number, sample: () => number) {
    const from = simulation.now;
    const timeOf = (at: number): number => from + ((until - from) * at) / (samples - 1);
    const take = (at: number): void => {
      this.times.push(simulation.now);
      this.values.push(sample());
      if (at + 1 < samples) schedule(at + 1);
    };
    const schedule = (at: number): void => {
      // the last one is at the end itself, whatever rounding makes of it
      simulation.scheduleAt(at + 1 < samples ? timeOf(at) : until, take, at, LAST);
    };
    schedule(0);
  }

  /** As the value of an output DATA_SET. */
  data(): DataSet {
    return { dataX: [...this.times], dataY: [...this.values] };
  }
}
