import { isWholeType, stepCount, stepValues } from '../../api/index.ts';
import { ForayError, type Place } from '../../errors.ts';
import { checkNumeric } from './input-types.ts';
import type { Locate } from '../../yaml/yaml.ts';
import { canonical, checkUnits, type ModelInput } from '../input-values.ts';
import { rounded, roundedWhole, settled } from '../rounding.ts';
import type { Range, Values } from './schema-values.ts';
import type { DesignFacts } from './kind.ts';

/** The most values of one range. A range with more values is probably a typing mistake. */
const MOST_VALUES = 1_000_000;

type Facts = Pick<DesignFacts, 'locate' | 'mistakes'>;

/** The canonical values of an input, from a list or a range of the design. A wrong value is left out and reported. */
export function valuesOf(
  input: ModelInput,
  written: Values,
  { locate, mistakes }: Facts,
  path: PropertyKey[],
): string[] {
  if ('from' in written) return mistakes.attempt(() => rangeValues(input, written, locate, path)) ?? [];
  const isList = Array.isArray(written);
  const values = isList ? written : written.values;
  const at = isList ? path : [...path, 'values'];
  if (!isList) mistakes.attempt(() => checkUnits(input, written.units, locate([...path, 'units'])));
  if (values.length === 0) {
    mistakes.add(
      new ForayError('EMPTY_DESIGN', `The list of values for "${input.name}" is empty.`, {
        place: locate(at),
        hint: 'Give at least one value.',
      }),
    );
  }
  const texts = values.map((value, index) =>
    mistakes.attempt(() => canonical(input, value, locate([...at, index]))),
  );
  return texts.filter((text) => text !== undefined);
}

/** Like {@link valuesOf}, but reports a value that appears twice: it would give two points with the same key. */
export function distinctValuesOf(
  input: ModelInput,
  written: Values,
  facts: Facts,
  path: PropertyKey[],
): string[] {
  const { locate, mistakes } = facts;
  const before = mistakes.count;
  const values = valuesOf(input, written, facts, path);
  if (mistakes.count > before) return values;
  if ('from' in written) {
    if (new Set(values).size < values.length) {
      mistakes.add(
        new ForayError(
          'INVALID_VALUE',
          `The values of the range for "${input.name}" are too close together.`,
          {
            place: locate(path),
            hint: 'A number has at most 17 digits, so these values are not distinct. Give a larger step, or a smaller count.',
          },
        ),
      );
    }
    return values;
  }
  const at = Array.isArray(written) ? path : [...path, 'values'];
  const seen = new Set<string>();
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) {
      mistakes.add(
        new ForayError('INVALID_VALUE', `The value ${value} for "${input.name}" appears twice.`, {
          place: locate([...at, index]),
          hint: 'Use replications to repeat a point.',
        }),
      );
    }
    seen.add(value);
  }
  return values;
}

/** @throws ForayError INVALID_VALUE, EMPTY_DESIGN with the place */
function rangeValues(input: ModelInput, written: Range, locate: Locate, path: PropertyKey[]): string[] {
  const place = locate(path);
  checkUnits(input, written.units, locate([...path, 'units']));
  checkNumeric(input, 'a range of numbers', place);
  const { from, to, step, count, scale = 'linear' } = written;
  const counted = `with ${count} ${count === 1 ? 'value' : 'values'}`;
  const range = `from ${from} to ${to} ${step === undefined ? counted : `by ${step}`}`;
  const empty = (hint: string): ForayError =>
    new ForayError('EMPTY_DESIGN', `The range for "${input.name}", ${range}, is empty.`, { place, hint });
  if (step !== undefined && step <= 0) throw empty('The step must be above 0.');
  if (to < from) throw empty('"from" must not exceed "to".');
  if (count !== undefined && count > 1 && from === to) throw empty('"from" must be below "to".');
  if (scale === 'log' && from <= 0) throw empty('With "scale: log", "from" must be above 0.');
  if ((count ?? stepCount(from, to, step!)) > MOST_VALUES) {
    throw new ForayError('INVALID_VALUE', `The range for "${input.name}", ${range}, has too many values.`, {
      place,
      hint: `At most ${MOST_VALUES.toLocaleString('en')} are allowed.`,
    });
  }
  const numbers =
    step === undefined
      ? spacedNumbers(input, { from, to, count: count!, scale }, place)
      : stepValues(from, to, step);
  return numbers.map((value) => canonical(input, value, place));
}

/** Numbers at equal distances (linear) or ratios (log). */
function spacedNumbers(
  { name, type }: ModelInput,
  { from, to, count, scale }: { from: number; to: number; count: number; scale: 'linear' | 'log' },
  place: Place,
): number[] {
  const last = count - 1;
  // the largest number in the computation of the values
  const largest = scale === 'log' ? to / from : (to - from) * (last - 1);
  if (last > 1 && !Number.isFinite(largest)) {
    throw new ForayError('INVALID_VALUE', `The values of "${name}" are spread too widely.`, {
      place,
      hint: 'Narrow the range, or give a list of values.',
    });
  }
  const [distance, size] = [(to - from) / last, Math.max(Math.abs(from), Math.abs(to))];
  // whole numbers on a linear scale are exact, and at least 1 apart
  const round = (value: number): number =>
    isWholeType(type)
      ? roundedWhole(value, scale === 'linear' ? 1 : distance, size)
      : rounded(value, distance, size);
  const numbers = Array.from({ length: count }, (_, at) => between(from, to, last, at, scale, round));
  // several numbers may be rounded to the same whole number
  return isWholeType(type) ? [...new Set(numbers.map(Math.round))] : numbers;
}

/** The number at place `at` between two numbers. Place 0 is the first number, and place `last` is the second one. */
function between(
  from: number,
  to: number,
  last: number,
  at: number,
  scale: 'linear' | 'log',
  round: (value: number) => number,
): number {
  if (at === 0) return from;
  if (at === last) return to;
  if (scale === 'log') return round(from * (to / from) ** (at / last));
  return round(settled(from + ((to - from) * at) / last, from, to));
}
