import type { VariedInput } from '../../campaign/types.ts';
import { kindOfInput } from '../tables/value-kinds.ts';

/**
 * One value of an input, or several neighbouring values. If the input is numeric, `value` is the mean of the values in
 * the bin, and `from` and `to` are the edges of the bin. Otherwise `value` is the index of the bin.
 */
export interface Bin {
  label: string;
  value: number;
  from: number;
  to: number;
}

/** The values of a varied input, arranged for a picture. */
export interface Axis {
  input: VariedInput;
  isNumeric: boolean;
  bins: Bin[];
  /** The index in `bins` by canonical value. */
  binOf: ReadonlyMap<string, number>;
}

/**
 * Makes the axis of an input. Numeric values are ascending, and others are in design order. If there are more than
 * `most` numeric values, neighbours are grouped: a picture has few pixels, and a page must stay small.
 */
export function axisOf(input: VariedInput, levels: Iterable<string>, most: number): Axis {
  const values = [...new Set(levels)];
  if (kindOfInput(input.type) !== 'number') {
    const bins = values.map((label, i) => ({ label, value: i, from: i, to: i + 1 }));
    return { input, isNumeric: false, bins, binOf: new Map(values.map((value, i) => [value, i])) };
  }
  values.sort((a, b) => Number(a) - Number(b));
  const numbers = values.map(Number);
  const edges = edgesOf(numbers);
  const count = Math.min(values.length, most);
  const first = (bin: number): number => Math.ceil((bin * values.length) / count);
  const binOf = new Map<string, number>();
  const bins = Array.from({ length: count }, (_, bin): Bin => {
    const members = values.slice(first(bin), first(bin + 1));
    for (const member of members) binOf.set(member, bin);
    const value = members.reduce((sum, member) => sum + Number(member), 0) / members.length;
    return { label: members[0]!, value, from: edges[first(bin)]!, to: edges[first(bin + 1)]! };
  });
  return { input, isNumeric: true, bins, binOf };
}

/** The first and the last canonical value of each bin. */
export function binEnds({ binOf, bins }: Pick<Axis, 'binOf' | 'bins'>): [first: string, last: string][] {
  const all: string[][] = bins.map(() => []);
  for (const [value, bin] of binOf) all[bin]!.push(value);
  return all.map((values) => [values[0]!, values.at(-1)!]);
}

/** The text of each bin: its value, or its first and last value. */
export function binTexts(axis: Pick<Axis, 'binOf' | 'bins'>): string[] {
  return binEnds(axis).map((ends) => [...new Set(ends)].join(' to '));
}

/** Whether each value of the axis has its own bin. */
export function hasBinEach({ binOf, bins }: Pick<Axis, 'binOf' | 'bins'>): boolean {
  return binOf.size === bins.length;
}

/**
 * The edges of bins around ascending numbers. Inner edges are halfway between neighbours. The first edge is as far
 * below the first number as the second edge is above this number. The last edge is placed in the same way.
 */
function edgesOf(numbers: readonly number[]): number[] {
  if (numbers.length === 1) return [numbers[0]! - 0.5, numbers[0]! + 0.5];
  const middles = numbers.slice(1).map((number, i) => (numbers[i]! + number) / 2);
  return [2 * numbers[0]! - middles[0]!, ...middles, 2 * numbers.at(-1)! - middles.at(-1)!];
}
