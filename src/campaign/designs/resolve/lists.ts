import type { RawValue } from '../../../api/index.ts';
import { ForayError, type Place } from '../../../errors.ts';
import { pointKeys } from '../../keys.ts';
import { canonical } from '../../input-values.ts';
import { type Design, NO_DESIGN } from '../resolved-design.ts';
import type { WrittenDesign } from '../schema.ts';
import { type DesignFacts, inputsIn, namesOf, type Path } from './inputs.ts';
import { valuesOf } from './value-lists.ts';

/** Resolves lists of values that are combined by position. */
export function resolveZip(
  written: NonNullable<WrittenDesign['zip']>,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const { locate, mistakes } = facts;
  const before = mistakes.count;
  const inputs = inputsIn(written, facts, path, taken);
  const values = inputs.map(({ input, value, path: at }) => valuesOf(input, value, facts, at));
  if (mistakes.count > before) return NO_DESIGN;
  const [first] = inputs;
  for (const [at, { input, path: where }] of inputs.entries()) {
    const [count, wanted] = [values[at]!.length, values[0]!.length];
    if (count === wanted) continue;
    throw new ForayError(
      'INVALID_VALUE',
      `"${first!.input.name}" has ${wanted} values, and "${input.name}" has ${count}.`,
      { place: locate(where), hint: 'In a zip all inputs have the same number of values.' },
    );
  }
  const distinct = distinctRows(namesOf(inputs), (row) => locate([...inputs[0]!.path, row]));
  for (const row of values[0]!.keys())
    distinct(
      values.map((column) => column[row]!),
      row,
    );
  return { kind: 'zip', inputs: namesOf(inputs), values };
}

/** Resolves a list of points. */
export function resolveList(
  written: Record<string, RawValue>[],
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const { locate, mistakes } = facts;
  const before = mistakes.count;
  const inputs = inputsIn(written[0]!, facts, [...path, 0], taken).map(({ input }) => input);
  if (mistakes.count > before) return NO_DESIGN;
  const names = inputs.map(({ name }) => name);
  if (names.length === 0) {
    throw new ForayError('INVALID_VALUE', 'The point gives no input.', { place: locate([...path, 0]) });
  }
  const distinct = distinctRows(names, (row) => locate([...path, row]));
  const rows = written.map((point, row) =>
    mistakes.attempt(() => {
      const given = inputsIn(point, facts, [...path, row], taken);
      const other = given.find(({ input }) => !names.includes(input.name));
      if (other) {
        throw new ForayError('INVALID_VALUE', `The first point does not give "${other.input.name}".`, {
          place: locate(other.path, 'key'),
          hint: 'All points of a list must give the same inputs. Use a union to combine lists.',
        });
      }
      const values = inputs.map((input) => {
        const own = given.find((one) => one.input.name === input.name);
        if (own) return canonical(input, own.value, locate(own.path));
        throw new ForayError(
          'INVALID_VALUE',
          `The point does not give "${input.name}", but the first point does.`,
          {
            place: locate([...path, row]),
            hint: 'All points of a list must give the same inputs. Use a union to combine lists.',
          },
        );
      });
      distinct(values, row);
      return values;
    }),
  );
  return { kind: 'list', inputs: names, rows: rows.filter((row) => row !== undefined) };
}

/** Returns a function that takes each row with its number, starting at 0, and refuses a repeated row. */
function distinctRows(
  names: readonly string[],
  placeOf: (row: number) => Place,
): (values: readonly string[], row: number) => void {
  const keyOf = pointKeys(names);
  const rows = new Map<string, number>();
  return (values, row) => {
    const key = keyOf(values);
    const before = rows.get(key);
    if (before !== undefined) {
      throw new ForayError('INVALID_VALUE', `Point ${row + 1} is the same as point ${before + 1}.`, {
        place: placeOf(row),
        hint: 'Use replications to repeat a point.',
      });
    }
    rows.set(key, row);
  };
}
