/**
 * Intervals of equal width. An interval includes its lower bound. The bounds are decimal numbers: with a width of 0.1, the
 * value 0.3 is the lower bound of an interval, although 3 * 0.1 is above 0.3 in binary arithmetic.
 */
export class Intervals {
  readonly count: number;
  readonly #width: number;
  /** The lower bounds of the intervals, and the upper bound of the last interval. */
  readonly #bounds: Float64Array;

  private constructor(bounds: Float64Array, width: number) {
    this.count = bounds.length - 1;
    this.#bounds = bounds;
    this.#width = width;
  }

  static ofWidth(lowerBound: number, width: number, count: number): Intervals {
    const bounds = boundsOf([lowerBound, width], count, (n, first, step) => first + n * step);
    return new Intervals(bounds, width);
  }

  static between(from: number, to: number, count: number): Intervals {
    // the difference of two large numbers may overflow
    const partOf = (n: number, first: number, last: number): number =>
      Number.isSafeInteger((last - first) * n)
        ? first + ((last - first) * n) / count
        : first * (1 - n / count) + last * (n / count);
    return new Intervals(boundsOf([from, to], count, partOf), to / count - from / count);
  }

  /** The index of the interval of a value: -1 below the first interval, and `count` above the last. */
  of(value: number): number {
    const bounds = this.#bounds;
    if (value < bounds[0]!) return -1;
    if (value >= bounds[this.count]!) return this.count;
    // halves, because the difference of two numbers may overflow
    const ratio = (value / 2 - bounds[0]! / 2) / (this.#width / 2);
    const interval = Math.min(Math.floor(ratio), this.count - 1);
    // the division may be wrong by one interval if the value is close to a bound
    if (value >= bounds[interval + 1]!) return interval + 1;
    return value < bounds[interval]! ? interval - 1 : interval;
  }
}

/**
 * The bounds of all intervals: each is the number nearest to the bound in decimal arithmetic.
 *
 * @param given - two numbers from which the bounds are computed
 * @param boundOf - computes bound n from these numbers, or from both multiplied by the same power of ten
 */
function boundsOf(
  given: readonly [number, number],
  intervals: number,
  boundOf: (n: number, one: number, other: number) => number,
): Float64Array {
  const digits = Math.max(...given.map(fractionDigits));
  const scale = 10 ** digits;
  const whole = given.map((value) => Math.round(value * scale)) as [number, number];
  // a quotient of two exact whole numbers is the nearest number; larger ones are not exact
  const isExact =
    digits <= MOST_DIGITS &&
    [...whole, boundOf(intervals, ...whole)].every((value) => Number.isSafeInteger(value));
  return Float64Array.from({ length: intervals + 1 }, (_, n) =>
    isExact ? boundOf(n, ...whole) / scale : boundOf(n, ...given),
  );
}

/** The largest number of digits for which the power of ten is exact. */
const MOST_DIGITS = 22;

/** The number of decimals that a number has when it is written. */
function fractionDigits(value: number): number {
  const [digits, exponent = '0'] = String(value).split('e') as [string, string?];
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}
