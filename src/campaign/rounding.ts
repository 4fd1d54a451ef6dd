/**
 * Computed numbers are rounded to this many significant digits, because further digits may differ between machines, and
 * because steps of 0.1 would have noise.
 */
const DIGITS = 12;
/** No number has more significant digits. */
const MOST_DIGITS = 17;
/** If numbers are at most this multiple of their spread, 12 digits keep three digits of the spread. */
const MOST_RATIO = 1e9;

/**
 * Rounds a computed number to 12 significant digits. Numbers that are very large and near to each other, such as times
 * in milliseconds within one minute, get more digits, because they would have the same 12.
 *
 * @param spread - the distance between the numbers, above 0
 * @param size - the size of the numbers
 */
export function rounded(value: number, spread: number, size: number): number {
  let digits = DIGITS;
  for (let ratio = size / spread; ratio > MOST_RATIO && digits < MOST_DIGITS; ratio /= 10) digits += 1;
  return Number(value.toPrecision(digits));
}

/** From this size, a whole number has more than 12 digits. */
const LARGE_WHOLE = 1e12;

/** Like {@link rounded}, for the whole number that is nearest to a computed number. */
export function roundedWhole(value: number, spread: number, size: number): number {
  return Math.round(size < LARGE_WHOLE ? Number(value.toPrecision(DIGITS)) : rounded(value, spread, size));
}

/** A number between a negative and a positive number is 0 if it is smaller than this share of them. */
const LEAST_SHARE = 2 ** -46;

/** Makes a number 0 if it is only a rounding error. It was computed from the two ends between which it lies. */
export function settled(value: number, from: number, to: number): number {
  return from < 0 && Math.abs(value) <= LEAST_SHARE * Math.max(-from, Math.abs(to)) ? 0 : value;
}

/** Rounds a number that an expression gives. Whole numbers are exact. */
export function roundedDerived(value: number): number {
  return Number.isSafeInteger(value) ? value : Number(value.toPrecision(DIGITS));
}
