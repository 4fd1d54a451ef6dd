/** An interval, and the number of values that are at least `from` and less than `to`. */
export interface CountedInterval {
  from: number;
  to: number;
  count: number;
}

/** The maximum number of intervals. It is a power of two. A picture shows fewer. */
const MOST_INTERVALS = 1_024;

/**
 * The distribution of a stream of values of any size, in bounded memory. The width of the intervals is a power of two,
 * and their edges are multiples of the width. The width is doubled when there are too many intervals. A wide interval
 * is exactly two earlier intervals, so the counts depend neither on the earlier widths nor on the order of the values.
 */
export class Distribution {
  count = 0;
  min = Infinity;
  max = -Infinity;
  #width: number;
  #counts = new Map<number, number>();

  /** @param narrowest - the smallest width: 1 for whole numbers, and 0 for no limit */
  constructor(narrowest: 0 | 1 = 0) {
    this.#width = narrowest || Number.MIN_VALUE;
  }

  /**
   * @param value - between -1e300 and 1e300, so that neighbouring intervals are finite
   * @param times - how often the value counts
   */
  add(value: number, times = 1): void {
    this.count += times;
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
    const width = this.#widthFor(MOST_INTERVALS);
    this.#counts = this.#countsAt(width);
    this.#width = width;
    const index = indexOf(value, this.#width);
    this.#counts.set(index, (this.#counts.get(index) ?? 0) + times);
  }

  /**
   * Returns at most `most` adjacent intervals of one width, including empty ones. Without values, it returns none. More
   * values may be added afterwards.
   */
  intervals(most: number): CountedInterval[] {
    if (this.count === 0) return [];
    const width = this.#widthFor(most);
    const counts = this.#countsAt(width);
    const first = indexOf(this.min, width);
    return Array.from({ length: indexOf(this.max, width) - first + 1 }, (_, i) => {
      const index = first + i;
      return { from: index * width, to: (index + 1) * width, count: counts.get(index) ?? 0 };
    });
  }

  /** The counts for intervals of a given width, which is at least the current width. */
  #countsAt(width: number): Map<number, number> {
    if (width === this.#width) return this.#counts;
    const counts = new Map<number, number>();
    for (const [index, count] of this.#counts) {
      const wide = indexOf(index * this.#width, width);
      counts.set(wide, (counts.get(wide) ?? 0) + count);
    }
    return counts;
  }

  /**
   * The smallest width that gives at most `most` intervals. It is at least the current width. The numbers of these
   * intervals must be exact.
   */
  #widthFor(most: number): number {
    for (let width = this.#width; ; width *= 2) {
      const [first, last] = [indexOf(this.min, width), indexOf(this.max, width)];
      if (last - first < most && first > Number.MIN_SAFE_INTEGER && last < Number.MAX_SAFE_INTEGER)
        return width;
    }
  }
}

/** The number of a value's interval. It is exact: a division by a power of two loses digits only close to zero. */
function indexOf(value: number, width: number): number {
  const index = Math.floor(value / width);
  return index === 0 && value < 0 ? -1 : index;
}
