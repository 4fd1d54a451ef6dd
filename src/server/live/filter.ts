import type { Batched } from '../../batched.ts';
import { measureOf } from '../../campaign/measures.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { ResultRow } from '../../store/index.ts';
import { UnknownNameError } from '../../unknown-name.ts';
import type { InputFilter, View } from './look.ts';

/** Parses a filter in an address: `1.2..1.8` (either end may be missing), or values with commas between them. */
export function filterIn(name: string, text: string): InputFilter {
  const range = /^\s*([^.\s]\S*?)?\s*\.\.\s*(\S+)?\s*$/.exec(text);
  const [from, to] = [Number(range?.[1] ?? -Infinity), Number(range?.[2] ?? Infinity)];
  return range && !Number.isNaN(from) && !Number.isNaN(to)
    ? { name, from, to }
    : { name, values: text.split(',').map((one) => one.trim()) };
}

/**
 * Checks that a campaign has the outputs and inputs of a view.
 * @throws ForayError UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
 */
export function checkView(campaign: Pick<Campaign, 'varied' | 'outputs'>, { show, inputs }: View): void {
  filterOf(campaign, inputs);
  for (const name of show) measureOf(campaign.outputs, name);
}

/**
 * Returns a function that tells whether a point passes the filters. Its argument is the values of the point's varied
 * inputs.
 * @throws ForayError INVALID_VALUE if the campaign does not vary the input of a filter
 */
export function filterOf(
  { varied }: Pick<Campaign, 'varied'>,
  filters: readonly InputFilter[],
): (values: readonly string[]) => boolean {
  const names = varied.map(({ name }) => name);
  const tests = filters.map((filter) => {
    const at = names.indexOf(filter.name);
    if (at < 0) {
      throw new UnknownNameError('INVALID_VALUE', `The campaign does not vary an input "${filter.name}".`, {
        name: filter.name,
        known: names,
      });
    }
    if ('values' in filter) {
      const wanted = new Set(filter.values.map(plain));
      return (values: readonly string[]) => wanted.has(plain(values[at]!));
    }
    return (values: readonly string[]) => {
      const value = Number(values[at]);
      return value >= filter.from && value <= filter.to;
    };
  });
  return (values) => tests.every((test) => test(values));
}

/**
 * The rows of points that pass the filters.
 *
 * @throws ForayError INVALID_VALUE if the campaign does not vary the input of a filter
 */
export function filtered(
  campaign: Pick<Campaign, 'varied'>,
  rows: Batched<ResultRow>,
  filters: readonly InputFilter[],
): Batched<ResultRow> {
  if (filters.length === 0) return rows;
  const isWanted = filterOf(campaign, filters);
  return rows.filter(({ values }) => isWanted(values));
}

/** Equal numbers get the same text, such as 1.4 and 1.40. A number beyond Number.MAX_SAFE_INTEGER keeps its digits. */
function plain(text: string): string {
  const value = Number(text);
  return text.trim() === '' || !(Math.abs(value) <= Number.MAX_SAFE_INTEGER) ? text : String(value);
}
