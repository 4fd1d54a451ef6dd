import type { Interval } from '../../sensitivity/analysis.ts';
import { fixedText, numberText, textWithin } from '../words/words.ts';

/** The width of an interval that is only a rounding error, as a part of the value. */
const ROUNDING = 1e-9;

/** A function that gives a value and the ends of its interval the same digits: those that the interval allows. */
export function textIn(value: number, [low, high]: Interval): (one: number) => string {
  const half = (high - low) / 2;
  return (one) => (half <= ROUNDING * Math.abs(value) ? numberText(one) : textWithin(one, half));
}

/**
 * A number with the ends of its interval, with the digits that the interval allows.
 *
 * @param isUnit - whether a number without an interval has three decimals
 */
export function cellText(value: number | undefined, interval: Interval | undefined, isUnit: boolean): string {
  if (value === undefined) return '';
  if (!interval) return isUnit ? fixedText(value, 3) : numberText(value);
  const text = textIn(value, interval);
  return `${text(value)} (${text(interval[0])} … ${text(interval[1])})`;
}

/** A probability; a very small one is shown as "< 0.001". */
export function chanceCell(p: number | undefined): string {
  if (p === undefined) return '';
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}
