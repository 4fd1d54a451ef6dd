import type { Statistics } from '../../src/service/models/model.ts';
import type { Simulation } from './simulation.ts';

/**
 * A local name for Infinity. In a context of Node's vm, such as under Jest, each use of a global is a lookup by name.
 */
const LARGEST = Infinity;

/**
 * Statistics of a quantity that is constant between events, such as the length of a queue. The weight of a value is the
 * time for which it held; a value without a duration does not count. Mean and variance follow D. H. D. West, "Updating
 * mean and variance estimates: an improved method", Communications of the ACM 22 (1979) 532-535. Reading the statistics
 * changes nothing, so the outputs of a run are the same, whether it is observed or not.
 */
export class TimeWeighted {
  readonly #simulation: Simulation;
  #current = 0;
  #since: number;
  #past = nothing();

  /**
   * Starts now, with a first value.
   *
   * @throws RangeError when the value is NaN
   */
  constructor(simulation: Simulation, value = 0) {
    this.#simulation = simulation;
    this.#since = simulation.now;
    this.set(value);
  }

  /** The current value. */
  get value(): number {
    return this.#current;
  }

  /**
   * Sets the value from now on.
   *
   * @throws RangeError when the value is NaN or undefined
   */
  set(value: number): void {
    // all comparisons with NaN are false
    if (!(value <= LARGEST)) throw new RangeError(`A value of a statistic cannot be ${value}`);
    const { now } = this.#simulation;
    hold(this.#past, this.#current, now - this.#since);
    this.#since = now;
    this.#current = value;
  }

  /** Resets the statistics; the value stays. */
  reset(): void {
    this.#past = nothing();
    this.#since = this.#simulation.now;
  }

  /** The mean over the time until now; null while no time has passed. */
  get mean(): number | null {
    const { time, mean } = this.#untilNow();
    return time > 0 ? mean : null;
  }

  /** The value of an output of type STATISTICS_CONTINUOUS. It counts the values that held for some time. */
  statistics(): Statistics {
    const { count, time, min, max, mean, squares } = this.#untilNow();
    const integral = mean * time;
    if (count === 0) {
      const none = { min: null, max: null, mean: null, variance: null, deviation: null };
      return { type: 'continuous', count, ...none, integral };
    }
    // rounding may give squares just below 0
    const variance = Math.max(0, squares / time);
    return { type: 'continuous', count, min, max, mean, variance, deviation: Math.sqrt(variance), integral };
  }

  #untilNow(): Past {
    const past = { ...this.#past };
    hold(past, this.#current, this.#simulation.now - this.#since);
    return past;
  }
}

interface Past {
  count: number;
  time: number;
  min: number;
  max: number;
  mean: number;
  /** The integral of the squared differences from the mean. */
  squares: number;
}

function nothing(): Past {
  return { count: 0, time: 0, min: Infinity, max: -Infinity, mean: 0, squares: 0 };
}

function hold(past: Past, value: number, duration: number): void {
  if (duration === 0) return;
  const difference = value - past.mean;
  past.count++;
  past.time += duration;
  // if one value held for the whole time, the ratio is exactly 1, and the mean is exactly this value
  past.mean += difference * (duration / past.time);
  past.squares += difference * duration * (value - past.mean);
  if (value < past.min) past.min = value;
  if (value > past.max) past.max = value;
}
