import { Intervals } from '../../statistics/intervals.ts';

/** The largest number of intervals of a histogram. */
const MOST_INTERVALS = 100;

/**
 * The histogram of numbers, as JSON text with the fields that existing clients of the interface read. The intervals
 * divide the range from the least to the greatest finite number. Their number is the square root of the number of
 * finite values, rounded up, and at most 100. The greatest number counts in the last interval. `hitsOutLow` counts
 * -Infinity, and `hitsOutHigh` counts Infinity. Null and NaN are left out.
 *
 * @param texts - JSON texts of numbers, as `outputText` makes them
 */
export function histogramOf(texts: readonly string[]): string {
  const numbers = texts.map(toNumber).filter((value) => !Number.isNaN(value));
  const finite = numbers.filter(Number.isFinite);
  const [min, max] = [least(finite), greatest(finite)];
  const count = Math.min(MOST_INTERVALS, Math.max(1, Math.ceil(Math.sqrt(finite.length))));
  // this line divides first, because the difference of two numbers may overflow
  const intervalWidth = max > min ? max / count - min / count : 1;
  const intervals =
    max > min ? Intervals.between(min, max, count) : Intervals.ofWidth(min, intervalWidth, count);
  const hits = new Array<number>(count).fill(0);
  for (const value of finite) {
    hits[Math.min(count - 1, intervals.of(value))]! += 1;
  }
  return JSON.stringify({
    lowerBound: finite.length > 0 ? min : 0,
    intervalWidth,
    hits,
    hitsOutLow: numbers.filter((value) => value === -Infinity).length,
    hitsOutHigh: numbers.filter((value) => value === Infinity).length,
    statistics: statisticsOf(finite, min, max),
  });
}

/** The statistics of numbers. If there are no numbers, all statistics except the count are null. */
function statisticsOf(numbers: readonly number[], min: number, max: number) {
  const count = numbers.length;
  if (count === 0) return { type: 'discrete', count, min: null, max: null, mean: null, variance: null };
  // Welford's method: a sum of squares would lose the variance of large numbers that are close to each other. It adds
  // halves, because the difference of two numbers may overflow
  let [mean, squares] = [0, 0];
  for (const [index, value] of numbers.entries()) {
    const off = value / 2 - mean;
    mean += off / (index + 1);
    squares += off * (value / 2 - mean);
  }
  const variance = count > 1 ? (4 * squares) / (count - 1) : 0;
  return { type: 'discrete', count, min, max, mean: 2 * mean, variance };
}

/** Reads a number from JSON. An infinite number is a JSON string (`outputText`). Null becomes NaN. */
function toNumber(text: string): number {
  const value = JSON.parse(text) as number | string | null;
  return value === null ? Number.NaN : Number(value);
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.min(one, other), Infinity);
}

function greatest(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.max(one, other), -Infinity);
}
