import {
  absolute,
  applied,
  compare,
  minus,
  over,
  plus,
  power,
  type Quantity,
  quantity,
  remainder,
  stepped,
  times,
} from './decimals.ts';

/** Operators that make a number from two numbers. Infinity and NaN follow JavaScript's rules. */
export const arithmetic: ReadonlyMap<string, (a: Quantity, b: Quantity) => Quantity> = new Map([
  ['+', plus],
  ['-', minus],
  ['*', times],
  ['/', over],
  ['%', remainder],
  ['**', power],
]);

/** An operator that compares two values of the same type. */
export interface Comparison {
  /** The operator that holds where this one does not. */
  opposite: string;
  /** Whether the operator takes only numbers and texts, not true and false. */
  isOrder: boolean;
  /** @param order - below 0 if the left side is less, 0 if both are equal, above 0 if the left side is more */
  holds: (order: number) => boolean;
}

export const comparisons: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ['==', { opposite: '!=', isOrder: false, holds: (order) => order === 0 }],
  ['!=', { opposite: '==', isOrder: false, holds: (order) => order !== 0 }],
  ['<', { opposite: '>=', isOrder: true, holds: (order) => order < 0 }],
  ['<=', { opposite: '>', isOrder: true, holds: (order) => order <= 0 }],
  ['>', { opposite: '<=', isOrder: true, holds: (order) => order > 0 }],
  ['>=', { opposite: '<', isOrder: true, holds: (order) => order >= 0 }],
]);

/**
 * Orders two texts by their UTF-16 code units, two truth values, or two numbers. It does not subtract numbers, because the
 * difference of two infinite numbers is NaN.
 */
export function orderOf<T extends string | boolean | number>(a: T, b: T): number {
  return Number(a > b) - Number(a < b);
}

export interface NumberFunction {
  /** The smallest and the largest number of arguments. All arguments are numbers. */
  arguments: readonly [number, number];
  apply: (...values: Quantity[]) => Quantity;
  /** Whether the result may stay the same while an argument changes. */
  hasSteps?: true;
}

const ONE = [1, 1] as const;
const SEVERAL = [1, Infinity] as const;

export const functions: ReadonlyMap<string, NumberFunction> = new Map<string, NumberFunction>([
  ['abs', { arguments: ONE, apply: absolute }],
  ['min', { arguments: SEVERAL, apply: (...values) => values.reduce(lesser), hasSteps: true }],
  ['max', { arguments: SEVERAL, apply: (...values) => values.reduce(greater), hasSteps: true }],
  ['round', { arguments: [1, 2], apply: rounded, hasSteps: true }],
  ['floor', { arguments: ONE, apply: (value) => stepped(Math.floor, value), hasSteps: true }],
  ['ceil', { arguments: ONE, apply: (value) => stepped(Math.ceil, value), hasSteps: true }],
  ['sqrt', { arguments: ONE, apply: (value) => applied(Math.sqrt, value) }],
  ['exp', { arguments: ONE, apply: (value) => applied(Math.exp, value) }],
  ['log', { arguments: ONE, apply: (value) => applied(Math.log, value) }],
  ['log10', { arguments: ONE, apply: (value) => applied(Math.log10, value) }],
  ['pow', { arguments: [2, 2], apply: power }],
]);

/** As in Math.min and Math.max, NaN wins. */
function lesser(a: Quantity, b: Quantity): Quantity {
  return Number.isNaN(b.value) || compare(b, a) < 0 ? b : a;
}

function greater(a: Quantity, b: Quantity): Quantity {
  return Number.isNaN(b.value) || compare(b, a) > 0 ? b : a;
}

/** More digits than any number has after the decimal point. */
const MOST_DIGITS = 400;

function rounded(value: Quantity, digits: Quantity = quantity(0)): Quantity {
  return quantity(round(value.value, digits.value));
}

/**
 * Rounds to this number of digits after the decimal point. A negative number means digits before the point. A half is
 * rounded away from zero. The function rounds the printed digits of the number, so 1.005 to two digits is 1.01. The
 * result is NaN if `digits` is not a whole number from -400 to 400.
 */
function round(value: number, digits: number): number {
  if (!Number.isInteger(digits) || Math.abs(digits) > MOST_DIGITS) return NaN;
  const shifted = shift(Math.abs(value), digits);
  // numbers this large are whole
  if (!(shifted < 2 ** 52)) return value;
  return Math.sign(value) * shift(Math.round(shifted), -digits);
}

/** A number with its decimal point moved. The digits stay exactly the same. */
function shift(value: number, digits: number): number {
  const [mantissa, exponent = '0'] = String(value).split('e');
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}
