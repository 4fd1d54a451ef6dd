import type { InputType } from './constants.ts';

/** The type of a range in a request, by input type (specification 2.11). */
export const rangeTypes = {
  DOUBLE: 'FIXED_RANGE_DOUBLE',
  INTEGER: 'FIXED_RANGE_INTEGER',
  LONG: 'FIXED_RANGE_LONG',
  BOOLEAN: 'FULL_RANGE_BOOLEAN',
} as const satisfies Partial<Record<InputType, InputType>>;
/** The type of a random value in a request, by input type (specification 2.11). */
export const randomTypes = {
  DOUBLE: 'RANDOM_DOUBLE',
  INTEGER: 'RANDOM_INTEGER',
  BOOLEAN: 'RANDOM_BOOLEAN',
} as const satisfies Partial<Record<InputType, InputType>>;

const ranges: ReadonlySet<InputType> = new Set(Object.values(rangeTypes));
const randoms: ReadonlySet<InputType> = new Set(Object.values(randomTypes));

export function isRange(type: InputType): boolean {
  return ranges.has(type);
}

export function isRandom(type: InputType): boolean {
  return randoms.has(type);
}

/** The maximum number of decimals that `toFixed` can write. */
const MOST_DECIMALS = 100;

/**
 * Numbers from `first` up to `last`, one step apart. `last` is included if a whole number of steps reaches it. Each
 * number is rounded to the decimals of `first` or `step`, whichever has more. So 1.2 + 2 × 0.1 is 1.4 and not
 * 1.4000000000000001. If a step is itself rounded, as 9.090909090909092 is, the last number may exceed `last`. Then it is
 * replaced by `last`.
 */
export function stepValues(first: number, last: number, step: number): number[] {
  const values = Array.from({ length: stepCount(first, last, step) }, (_, index) =>
    stepValue(first, step, index),
  );
  // a `last` with more decimals than the values was computed, such as 1 - 0.9: then the value is exact, and stays
  const isLastComputed = decimalsOf(last) > stepDecimals(first, step);
  if (!isLastComputed && values.at(-1)! > last) values[values.length - 1] = last;
  return values;
}

/** How many values {@link stepValues} gives. This function does not make them. */
export function stepCount(first: number, last: number, step: number): number {
  // 1e-9, because a quotient that is a whole number may be rounded down
  const steps = Math.floor((last - first) / step + 1e-9);
  // `last` may be a computed number, so a value that exceeds it only by a rounding error is included
  const rounding = 1e-12 * Math.max(Math.abs(first), Math.abs(last));
  const isBeyond = stepValue(first, step, steps) - last > rounding;
  return Math.max(0, isBeyond ? steps : steps + 1);
}

function stepValue(first: number, step: number, index: number): number {
  const decimals = stepDecimals(first, step);
  const value = first + index * step;
  return decimals > MOST_DECIMALS ? value : Number(value.toFixed(decimals));
}

function stepDecimals(first: number, step: number): number {
  return Math.max(decimalsOf(first), decimalsOf(step));
}

function decimalsOf(number: number): number {
  const [mantissa = '', exponent = '0'] = String(number).split('e');
  const digits = mantissa.split('.')[1]?.length ?? 0;
  return Math.max(0, digits - Number(exponent));
}

/** The canonical values in a range, in ascending order. `canonical` is the canonical text of the range (2.3). */
export function rangeValues(type: InputType, canonical: string): string[] {
  if (type === 'FULL_RANGE_BOOLEAN') return ['false', 'true'];
  const { min, max, step } = boundsOf(canonical);
  if (type === 'FIXED_RANGE_LONG') {
    const [first, by] = [BigInt(min), BigInt(step)];
    return Array.from({ length: rangeCount(type, canonical) }, (_, index) =>
      String(first + BigInt(index) * by),
    );
  }
  return stepValues(Number(min), Number(max), Number(step)).map((value) => String(value));
}

/**
 * How many values {@link rangeValues} gives; Infinity if there are too many to count. This function does not make them.
 */
export function rangeCount(type: InputType, canonical: string): number {
  if (type === 'FULL_RANGE_BOOLEAN') return 2;
  const { min, max, step } = boundsOf(canonical);
  if (type === 'FIXED_RANGE_LONG') return Number((BigInt(max) - BigInt(min)) / BigInt(step)) + 1;
  return stepCount(Number(min), Number(max), Number(step));
}

function boundsOf(canonical: string): { min: string; max: string; step: string } {
  const { min, max, step } = JSON.parse(canonical) as Record<string, string | number>;
  return { min: String(min), max: String(max), step: String(step) };
}
