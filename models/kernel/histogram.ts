import type { Histogram as HistogramData } from '../../src/service/models/model.ts';
import { Tally } from './tally.ts';

/**
 * Counts the values in intervals of equal width, and the values outside. An interval includes its lower bound. The
 * bounds are multiples of the width as decimal numbers: with a width of 0.1, the value 0.3 is the lower bound of an
 * interval, although 3 * 0.1 is above 0.3 in binary arithmetic.
 */
export class Histogram {
  readonly tally = new Tally();
  readonly #lowerBound: number;
  readonly #intervalWidth: number;
  readonly #hits: number[];
  /** The lower bounds of the intervals, and the upper bound of the last interval. */
  readonly #bounds: Float64Array;
  #hitsOutLow = 0;
  #hitsOutHigh = 0;

  /** @throws RangeError when the lower bound is not finite, the width is not positive, or there are no intervals */
  constructor(lowerBound: number, intervalWidth: number, intervals: number) {
    if (!(intervalWidth > 0 && intervalWidth < Infinity && Number.isInteger(intervals) && intervals > 0)) {
      throw new RangeError(`A histogram cannot have ${intervals} intervals of the width ${intervalWidth}`);
    }
    if (!Number.isFinite(lowerBound)) {
      throw new RangeError(`A histogram cannot begin at ${lowerBound}: its lower bound must be finite`);
    }
    this.#lowerBound = lowerBound;
    this.#intervalWidth = intervalWidth;
    this.#hits = new Array<number>(intervals).fill(0);
    this.#bounds = boundsOf(lowerBound, intervalWidth, intervals);
  }

  /** @throws RangeError when the value is NaN or undefined */
  add(value: number): void {
    this.tally.add(value);
    const hits = this.#hits;
    const bounds = this.#bounds;
    if (value < bounds[0]!) this.#hitsOutLow++;
    else if (value >= bounds[hits.length]!) this.#hitsOutHigh++;
    else {
      let interval = Math.min(Math.floor((value - this.#lowerBound) / this.#intervalWidth), hits.length - 1);
      // the division may be wrong by one interval if the value is close to a bound
      if (value >= bounds[interval + 1]!) interval++;
      else if (value < bounds[interval]!) interval--;
      hits[interval]!++;
    }
  }

  /** Forgets all values. */
  reset(): void {
    this.tally.reset();
    this.#hits.fill(0);
    this.#hitsOutLow = 0;
    this.#hitsOutHigh = 0;
  }

  /** The value of an output of type HISTOGRAM_DATA. */
  data(): HistogramData {
    const { tally } = this;
    const lowerBound = this.#lowerBound;
    const intervalWidth = this.#intervalWidth;
    const hits = this.#hits;
    const hitsOutLow = this.#hitsOutLow;
    const hitsOutHigh = this.#hitsOutHigh;
    return {
      lowerBound,
      intervalWidth,
      hits: [...hits],
      hitsOutLow,
      hitsOutHigh,
      statistics: tally.statistics(),
    };
  }
}

/** The bounds of all intervals: each is the number nearest to lower bound + n × width in decimal arithmetic. */
function boundsOf(lowerBound: number, width: number, intervals: number): Float64Array {
  const digits = Math.max(fractionDigits(lowerBound), fractionDigits(width));
  const scale = 10 ** digits;
  const [first, step] = [Math.round(lowerBound * scale), Math.round(width * scale)];
  // a quotient of two exact whole numbers is the nearest number; larger ones are not exact
  const isExact =
    digits <= MOST_DIGITS && Number.isSafeInteger(first) && Number.isSafeInteger(first + intervals * step);
  return Float64Array.from({ length: intervals + 1 }, (_, n) =>
    isExact ? (first + n * step) / scale : lowerBound + n * width,
  );
}

/** The largest number of digits for which the power of ten is exact. */
const MOST_DIGITS = 22;

/** The number of decimals that a number has when it is written. */
function fractionDigits(value: number): number {
  const [digits, exponent = '0'] = String(value).split('e') as [string, string?];
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}
