import type { Interval } from '../../sensitivity/analysis.ts';
import { numberText } from '../words/words.ts';

/** A number with the ends of its interval. */
export function cellText(value: number | undefined, interval: Interval | undefined, isUnit: boolean): string {
  if (value === undefined) return '';
  const text = (one: number): string =>
    isUnit ? one.toFixed(3).replace(/^-(0\.0+)$/, '$1') : numberText(one);
  return interval ? `${text(value)} (${text(interval[0])} … ${text(interval[1])})` : text(value);
}

/** A probability; a very small one is shown as "< 0.001". */
export function chanceCell(p: number | undefined): string {
  if (p === undefined) return '';
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}
