/** The number of values from `from` up to `to`, without `to`. */
export interface Interval {
  from: number;
  to: number;
  count: number;
}

/** The most intervals: a power of two, more than a picture shows. */
const MOST_INTERVALS = 1_024;

/**
 * The distribution of a stream of values, in bounded memory and at any scale. The intervals are multiples of a power of
 * two, which is doubled when there are too many intervals. A doubled interval is exactly two earlier ones, so the
 * counts are the same as with the last width from the beginning, in any order of the values.
 */
export class Distribution {
  count = 0;
  min = Infinity;
  max = -Infinity;
  #width: number;
  #counts = new Map<number, number>();

  /** @param narrowest - the smallest width: 1 for whole numbers */
  constructor(narrowest: 0 | 1 = 0) {
    this.#width = narrowest || Number.MIN_VALUE;
  }

  /** @param value - between -1e300 and 1e300, so that neighbouring intervals are finite */
  add(value: number): void {
    this.count += 1;
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
    const width = this.#widthFor(MOST_INTERVALS);
    this.#counts = this.#countsAt(width);
    this.#width = width;
    const index = indexOf(value, this.#width);
    this.#counts.set(index, (this.#counts.get(index) ?? 0) + 1);
  }

  /**
   * At most this many adjacent intervals of one width, including empty ones; none without values. More values may be
   * added afterwards.
   */
  intervals(most: number): Interval[] {
    if (this.count === 0) return [];
    const width = this.#widthFor(most);
    const counts = this.#countsAt(width);
    const first = indexOf(this.min, width);
    return Array.from({ length: indexOf(this.max, width) - first + 1 }, (_, i) => {
      const index = first + i;
      return { from: index * width, to: (index + 1) * width, count: counts.get(index) ?? 0 };
    });
  }

  /** The counts for wider intervals. */
  #countsAt(width: number): Map<number, number> {
    if (width === this.#width) return this.#counts;
    const counts = new Map<number, number>();
    for (const [index, count] of this.#counts) {
      const wide = indexOf(index * this.#width, width);
      counts.set(wide, (counts.get(wide) ?? 0) + count);
    }
    return counts;
  }

  /** The smallest width, starting at the current one, that gives few enough intervals with exact numbers. */
  #widthFor(most: number): number {
    for (let width = this.#width; ; width *= 2) {
      const [first, last] = [indexOf(this.min, width), indexOf(this.max, width)];
      if (last - first < most && first > Number.MIN_SAFE_INTEGER && last < Number.MAX_SAFE_INTEGER)
        return width;
    }
  }
}

/**
 * The number of a value's interval. It is exact, because a division by a power of two loses no digits except close to
 * zero.
 */
function indexOf(value: number, width: number): number {
  const index = Math.floor(value / width);
  return index === 0 && value < 0 ? -1 : index;
}
