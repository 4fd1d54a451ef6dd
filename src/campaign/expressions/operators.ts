import type { Value } from './types.ts';

/** Operators that make a number from two numbers. Infinity and NaN follow JavaScript's rules. */
export const arithmetic: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ['+', (a: number, b: number) => a + b],
  ['-', (a: number, b: number) => a - b],
  ['*', (a: number, b: number) => a * b],
  ['/', (a: number, b: number) => a / b],
  ['%', (a: number, b: number) => a % b],
  ['**', (a: number, b: number) => a ** b],
]);

/** Compares two values of the same type. */
export const equalities: ReadonlyMap<string, (a: Value, b: Value) => boolean> = new Map([
  ['==', (a: Value, b: Value) => a === b],
  ['!=', (a: Value, b: Value) => a !== b],
]);

/** Compares two numbers, or two texts by their UTF-16 code units. */
export const orders: ReadonlyMap<string, (a: Value, b: Value) => boolean> = new Map([
  ['<', (a: Value, b: Value) => a < b],
  ['<=', (a: Value, b: Value) => a <= b],
  ['>', (a: Value, b: Value) => a > b],
  ['>=', (a: Value, b: Value) => a >= b],
]);

export interface NumberFunction {
  /** The smallest and the largest number of arguments. All arguments are numbers. */
  arguments: readonly [number, number];
  apply: (...values: number[]) => number;
}

/** The functions, by name. */
export const functions: ReadonlyMap<string, NumberFunction> = new Map<string, NumberFunction>([
  ['abs', { arguments: [1, 1], apply: Math.abs }],
  ['min', { arguments: [1, Infinity], apply: Math.min }],
  ['max', { arguments: [1, Infinity], apply: Math.max }],
  ['round', { arguments: [1, 2], apply: (value, digits) => round(value, digits ?? 0) }],
  ['floor', { arguments: [1, 1], apply: Math.floor }],
  ['ceil', { arguments: [1, 1], apply: Math.ceil }],
  ['sqrt', { arguments: [1, 1], apply: Math.sqrt }],
  ['exp', { arguments: [1, 1], apply: Math.exp }],
  ['log', { arguments: [1, 1], apply: Math.log }],
  ['log10', { arguments: [1, 1], apply: Math.log10 }],
  ['pow', { arguments: [2, 2], apply: Math.pow }],
]);

/** More digits than any number has after the decimal point. */
const MOST_DIGITS = 400;

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
