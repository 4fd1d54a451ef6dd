import { OutputSample } from '../summary/points.ts';

/** The number of points for which the first arrays have room. */
const FIRST_POINTS = 1_024;

/**
 * The number, mean and spread of an output's values at each point. Values come in any order. A point needs 24 bytes for
 * the same running sums as in `Sample`.
 */
export class Moments {
  #counts = new Float64Array(FIRST_POINTS);
  #means = new Float64Array(FIRST_POINTS);
  #squares = new Float64Array(FIRST_POINTS);

  /** @param ordinal - the ordinal of the point */
  add(ordinal: number, value: number): void {
    if (ordinal >= this.#counts.length) {
      const points = 2 ** Math.ceil(Math.log2(ordinal + 1));
      this.#counts = enlarged(this.#counts, points);
      this.#means = enlarged(this.#means, points);
      this.#squares = enlarged(this.#squares, points);
    }
    const count = (this.#counts[ordinal]! += 1);
    const difference = value - this.#means[ordinal]!;
    const mean = (this.#means[ordinal]! += difference / count);
    this.#squares[ordinal]! += difference * (value - mean);
  }

  /** The moments of a point. The sample does not know the least and the greatest value. */
  at(ordinal: number): OutputSample {
    return new KnownSample(
      this.#counts[ordinal] ?? 0,
      this.#means[ordinal] ?? 0,
      this.#squares[ordinal] ?? 0,
    );
  }
}

/** A sample with known sums. */
class KnownSample extends OutputSample {
  constructor(count: number, mean: number, squares: number) {
    super();
    this.count = count;
    this.average = mean;
    this.squares = squares;
  }
}

function enlarged(numbers: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const more = new Float64Array(length);
  more.set(numbers);
  return more;
}
