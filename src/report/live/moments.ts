import type { Majority } from '../../statistics/chance.ts';
import { OutputSample } from '../summary/points.ts';

/** The number of points for which the first arrays have room. */
const FIRST_POINTS = 1_024;

/**
 * The number, mean and spread of an output's values at each point, and how often the first two different values came.
 * Values come in any order. A point needs 48 bytes for the same numbers as in `SpreadSample`.
 */
export class Moments {
  #counts = new Float64Array(FIRST_POINTS);
  #means = new Float64Array(FIRST_POINTS);
  #squares = new Float64Array(FIRST_POINTS);
  /** Two different values of each point, and how often each of them came. */
  #values = new Float64Array(2 * FIRST_POINTS);
  #times = new Uint32Array(2 * FIRST_POINTS);

  /** @param ordinal - the ordinal of the point */
  add(ordinal: number, value: number): void {
    if (ordinal >= this.#counts.length) {
      const points = 2 ** Math.ceil(Math.log2(ordinal + 1));
      this.#counts = enlarged(this.#counts, points);
      this.#means = enlarged(this.#means, points);
      this.#squares = enlarged(this.#squares, points);
      this.#values = enlarged(this.#values, 2 * points);
      const times = new Uint32Array(2 * points);
      times.set(this.#times);
      this.#times = times;
    }
    const count = (this.#counts[ordinal]! += 1);
    const difference = value - this.#means[ordinal]!;
    const mean = (this.#means[ordinal]! += difference / count);
    this.#squares[ordinal]! += difference * (value - mean);
    for (const at of [2 * ordinal, 2 * ordinal + 1]) {
      if (this.#times[at]! > 0 && this.#values[at] !== value) continue;
      this.#values[at] = value;
      this.#times[at]! += 1;
      return;
    }
  }

  /** The moments of a point. The sample does not know the least and the greatest value. */
  at(ordinal: number): OutputSample {
    const frequent = (at: number): Majority => ({
      value: this.#values[at] ?? NaN,
      count: this.#times[at] ?? 0,
    });
    return new KnownSample(
      this.#counts[ordinal] ?? 0,
      this.#means[ordinal] ?? 0,
      this.#squares[ordinal] ?? 0,
      [frequent(2 * ordinal), frequent(2 * ordinal + 1)],
    );
  }
}

/** A sample with known sums. */
class KnownSample extends OutputSample {
  constructor(count: number, mean: number, squares: number, [one, other]: [Majority, Majority]) {
    super();
    this.count = count;
    this.average = mean;
    this.squares = squares;
    this.one = one;
    this.other = other;
  }
}

function enlarged(numbers: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const more = new Float64Array(length);
  more.set(numbers);
  return more;
}
