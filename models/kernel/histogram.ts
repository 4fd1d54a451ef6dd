import type { Histogram as HistogramData } from '../../src/service/models/model.ts';
import { Intervals } from '../../src/statistics/intervals.ts';
import { Tally } from './tally.ts';

/** Counts the values in intervals of equal width, and the values outside (`Intervals`). */
export class Histogram {
  readonly tally = new Tally();
  readonly #lowerBound: number;
  readonly #intervalWidth: number;
  readonly #hits: number[];
  readonly #intervals: Intervals;
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
    this.#intervals = Intervals.ofWidth(lowerBound, intervalWidth, intervals);
  }

  /** @throws RangeError when the value is NaN or undefined */
  add(value: number): void {
    this.tally.add(value);
    const interval = this.#intervals.of(value);
    if (interval < 0) this.#hitsOutLow++;
    else if (interval === this.#hits.length) this.#hitsOutHigh++;
    else this.#hits[interval]!++;
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
