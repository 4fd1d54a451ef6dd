import { fixedText, numberText } from './words.ts';

/** A labelled place of an axis. */
export interface Tick {
  value: number;
  text: string;
}

/**
 * Round numbers for an axis: the multiples of 1, 2 or 5 times a power of ten from `low` to `high`, at most `most` of them
 * and as many as possible. Their texts have the digits of their step, and no more. If fewer than two fit, the ticks are
 * the ends.
 *
 * @param isWhole - whether the axis has only whole numbers
 */
export function ticksBetween(low: number, high: number, most: number, isWhole = false): Tick[] {
  if (!(high > low)) return [{ value: low, text: numberText(low) }];
  // the first step may be too small, but never too large; `high - low` could be too large for a double
  let power = Math.floor(Math.log10(high / most - low / most));
  if (isWhole) power = Math.max(0, power);
  for (let at = 0; ; at += 1) {
    const [factor, exponent] = [[1, 2, 5][at % 3]!, power + Math.floor(at / 3)];
    const multiples = multiplesWithin(low, high, factor, exponent);
    if (multiples.length > most) continue;
    if (multiples.length < 2) return [low, high].map((value) => ({ value, text: numberText(value) }));
    return multiples.map((value) => ({ value, text: stepText(value, exponent) }));
  }
}

/** The multiples of a factor times a power of ten, without the rounding errors of a sum. */
function multiplesWithin(low: number, high: number, factor: number, exponent: number): number[] {
  const step = Number(`${factor}e${exponent}`);
  // a limit that is a multiple except for its last digits counts as one
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  // no axis has so many ticks, so the caller then takes a larger step
  const count = Math.min(1_000, last - first + 1);
  return Array.from({ length: Math.max(0, count) }, (_, at) =>
    Number(`${(first + at) * factor}e${exponent}`),
  );
}

/** A multiple of a power of ten with its digits: 1.20 in steps of 0.05, 1,200 in steps of 200. */
function stepText(value: number, exponent: number): string {
  const size = Math.abs(value);
  if (exponent < -9 || size >= 1e15)
    return value === 0 ? '0' : String(Number(value.toPrecision(12)).toExponential());
  return fixedText(value, Math.max(0, -exponent));
}
