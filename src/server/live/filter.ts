import { canonicalValue, isNumericType, ValueError } from '../../api/index.ts';
import type { Batched } from '../../batched.ts';
import { measureOf } from '../../campaign/measures.ts';
import type { Campaign, VariedInput } from '../../campaign/types.ts';
import { ForayError } from '../../errors.ts';
import type { ResultRow } from '../../store/index.ts';
import { listItems } from '../../text/list-items.ts';
import { UnknownNameError } from '../../unknown-name.ts';
import type { InputFilter, View } from './look.ts';

/**
 * Checks that a campaign has the outputs and inputs of a view.
 * @throws ForayError UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
 */
export function checkView(
  campaign: Pick<Campaign, 'varied' | 'outputs'>,
  { show, inputs, axes }: View,
): void {
  filterOf(campaign, inputs);
  for (const name of [axes?.x, axes?.y, axes?.by]) if (name !== undefined) placeOf(campaign, name);
  for (const name of show) measureOf(campaign.outputs, name);
}

/**
 * Returns a function that tells whether a point passes the filters. Its argument is the values of the point's varied
 * inputs.
 * @throws ForayError INVALID_VALUE if the campaign does not vary the input of a filter, or if a value has another type
 */
export function filterOf(
  { varied }: Pick<Campaign, 'varied'>,
  filters: readonly InputFilter[],
): (values: readonly string[]) => boolean {
  const tests = filters.map(({ name, text }) => {
    const at = placeOf({ varied }, name);
    const isWanted = testOf(varied[at]!, text);
    return (values: readonly string[]) => isWanted(values[at]!);
  });
  return (values) => tests.every((test) => test(values));
}

/** The place of an input among the inputs that vary. @throws ForayError INVALID_VALUE if the input does not vary */
function placeOf({ varied }: Pick<Campaign, 'varied'>, name: string): number {
  const known = varied.map((input) => input.name);
  const at = known.indexOf(name);
  if (at >= 0) return at;
  throw new UnknownNameError('INVALID_VALUE', `The campaign does not vary an input "${name}".`, {
    name,
    known,
  });
}

/** The rows of points that pass the filters. @throws ForayError INVALID_VALUE, like {@link filterOf} */
export function filtered(
  campaign: Pick<Campaign, 'varied'>,
  rows: Batched<ResultRow>,
  filters: readonly InputFilter[],
): Batched<ResultRow> {
  if (filters.length === 0) return rows;
  const isWanted = filterOf(campaign, filters);
  return rows.filter(({ values }) => isWanted(values));
}

type Test = (value: string) => boolean;

/** A function that tells whether a canonical value of an input passes the text of a filter. */
function testOf({ name, type }: VariedInput, text: string): Test {
  const items = listItems(text);
  // a text with a comma may also be given without quotes
  if (!isNumericType(type) && type !== 'BOOLEAN' && type !== 'DATE_TIME')
    return among([text, text.trim(), ...items]);
  try {
    const isRange = (item: string): boolean => isNumericType(type) && item.includes('..');
    const ranges = items.filter(isRange).map(rangeTest);
    const isValue = among(items.filter((item) => !isRange(item)).map((item) => canonicalValue(type, item)));
    return (value) => isValue(value) || ranges.some((isInside) => isInside(value));
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ForayError('INVALID_VALUE', `In the filter, the value of "${name}" ${error.message}.`, {
      hint: 'Write values with commas between them. For numbers, you can also write a range such as 1.2..1.8.',
    });
  }
}

function among(values: readonly string[]): Test {
  const wanted = new Set(values);
  return (value) => wanted.has(value);
}

/** A test for a range such as `1.2..1.8`. Either end may be missing. */
function rangeTest(item: string): Test {
  const [from, to, ...more] = item.split('..').map((bound) => bound.trim());
  const boundIn = (text: string, none: number): number =>
    text === '' ? none : Number(canonicalValue('DOUBLE', text));
  const [least, most] = [boundIn(from!, -Infinity), boundIn(to!, Infinity)];
  if (more.length > 0 || least > most)
    throw new ValueError(`is ${item}, which is not a range from a lower to a higher number`);
  return (value) => Number(value) >= least && Number(value) <= most;
}
