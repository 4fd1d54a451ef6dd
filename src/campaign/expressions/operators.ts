import type { Value } from './types.ts';

/** Numbers to a number. Infinity and NaN are passed on, as are all of JavaScript's. */
export const arithmetic: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ['+', (a: number, b: number) => a + b],
  ['-', (a: number, b: number) => a - b],
  ['*', (a: number, b: number) => a * b],
  ['/', (a: number, b: number) => a / b],
  ['%', (a: number, b: number) => a % b],
  ['**', (a: number, b: number) => a ** b],
]);

/** Two of one type. */
export const equalities: ReadonlyMap<string, (a: Value, b: Value) => boolean> = new Map([
  ['==', (a: Value, b: Value) => a === b],
  ['!=', (a: Value, b: Value) => a !== b],
]);

/** Two numbers, or two texts by their UTF-16 code units. */
export const orders: ReadonlyMap<string, (a: Value, b: Value) => boolean> = new Map([
  ['<', (a: Value, b: Value) => a < b],
  ['<=', (a: Value, b: Value) => a <= b],
  ['>', (a: Value, b: Value) => a > b],
  ['>=', (a: Value, b: Value) => a >= b],
]);

export interface NumberFunction {
  /** The fewest and the most arguments, all of them numbers. */
  arguments: readonly [number, number];
  apply: (...values: number[]) => number;
}

/** By name. */
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

/** More digits than any number has after its decimal point. */
const MOST_DIGITS = 400;

/**
 * Rounds to so many digits after the decimal point (before it, if negative), a half away from zero. It goes by the digits
 * that a person sees, so 1.005 to two of them is 1.01. NaN for digits that are no whole number.
 */
function round(value: number, digits: number): number {
  if (!Number.isInteger(digits) || Math.abs(digits) > MOST_DIGITS) return NaN;
  const shifted = shift(Math.abs(value), digits);
  // from here on all numbers are whole, or there is none
  if (!(shifted < 2 ** 52)) return value;
  return Math.sign(value) * shift(Math.round(shifted), -digits);
}

/** A number with its decimal point moved, as if its digits were written anew. */
function shift(value: number, digits: number): number {
  const [mantissa, exponent = '0'] = String(value).split('e');
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}
