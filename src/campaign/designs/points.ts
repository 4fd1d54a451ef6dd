import * as z from 'zod';
import type { RawValue } from '../../api/index.ts';
import { ForayError } from '../../errors.ts';
import { canonical, type ModelInput } from '../input-values.ts';
import {
  type DesignFacts,
  inputsIn,
  newInput,
  type Path,
  repeatCheck,
  type ResolvedKind,
  type WrittenKind,
} from './kind.ts';
import { InputName, Value } from './schema-values.ts';
import { type PointCheck, type PointFile, readRows } from './table.ts';

export interface List {
  kind: 'list';
  inputs: string[];
  rows: string[][];
}
export interface PointsOfFile extends PointFile {
  kind: 'file';
  path: string;
}

export const points: WrittenKind<string | Record<string, RawValue>[], List | PointsOfFile> = {
  title: 'A list of points',
  schema: z
    .union(
      [
        z.string(),
        z
          .array(z.record(InputName, Value, 'expected input names with their values'))
          .min(1, 'expected at least one point'),
      ],
      'expected the path of a CSV or JSON Lines file, or a list of points',
    )
    .describe(
      'A list of points, each {INPUT: VALUE, …}, or the path of a file, relative to the definition: CSV with the ' +
        'names of inputs in its first line, or JSON Lines (.jsonl) with one object per line.',
    ),
  resolve: (written, facts, path, taken) =>
    typeof written === 'string'
      ? resolvePointFile(written, facts, path, taken)
      : resolveList(written, facts, path, taken),
};

/** How many points have the same value of an input, as far as is known. */
const POINTS_PER_VALUE = 1;

export const list: ResolvedKind<List> = {
  rows: ({ rows }) => rows,
  size: ({ rows }) => rows.length,
  levels: ({ inputs, rows }) => inputs.map((name, at) => [name, rows.map((row) => row[at]!)]),
  scattered: ({ inputs }) => inputs.map((name) => [name, POINTS_PER_VALUE]),
};

/** The rows are in the store under the hash of the file. */
export const file: ResolvedKind<PointsOfFile> = {
  rows: ({ hash }, { contents }) => readRows(contents.get(hash)!),
  size: ({ count, repeats }) => (repeats === undefined ? count : undefined),
  mostRows: ({ count }) => count,
  scattered: ({ inputs }) => inputs.map((name) => [name, POINTS_PER_VALUE]),
};

const SAME_INPUTS = 'All points of a list must give the same inputs. Use a union to combine lists.';

function resolveList(
  written: Record<string, RawValue>[],
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): List | undefined {
  const { locate, mistakes } = facts;
  const before = mistakes.count;
  const inputs = inputsIn(written[0]!, facts, [...path, 0], taken).map(({ input }) => input);
  if (mistakes.count > before) return undefined;
  const names = inputs.map(({ name }) => name);
  if (names.length === 0) {
    throw new ForayError('INVALID_VALUE', 'The point gives no input.', { place: locate([...path, 0]) });
  }
  const checkNew = repeatCheck(names, (row) => locate([...path, row]));
  const rows = written.map((point, row) =>
    mistakes.attempt(() => {
      const given = inputsIn(point, facts, [...path, row], taken);
      const other = given.find(({ input }) => !names.includes(input.name));
      if (other) {
        throw new ForayError('INVALID_VALUE', `The first point does not give "${other.input.name}".`, {
          place: locate(other.path, 'key'),
          hint: SAME_INPUTS,
        });
      }
      const values = inputs.map((input) => {
        const found = given.find((one) => one.input.name === input.name);
        if (found) return canonical(input, found.value, locate(found.path));
        throw new ForayError(
          'INVALID_VALUE',
          `The point does not give "${input.name}", but the first point does.`,
          { place: locate([...path, row]), hint: SAME_INPUTS },
        );
      });
      checkNew(values, row);
      return values;
    }),
  );
  return { kind: 'list', inputs: names, rows: rows.filter((row) => row !== undefined) };
}

/** Resolves a point file whose rows were checked. */
function resolvePointFile(
  path: string,
  facts: DesignFacts,
  at: Path,
  taken: ReadonlySet<string>,
): PointsOfFile | undefined {
  const found = facts.pointFiles[path];
  // the file has mistakes, which were already reported
  if (!found) return undefined;
  // the file was checked without the rest of the definition, which may give one of its inputs too
  const takenSoFar = new Set(taken);
  for (const name of found.inputs) newInput(name, facts, facts.locate(at), takenSoFar);
  return { kind: 'file', path, ...found };
}

/** Checks a table of points: each column must be an input, and each value must be valid for its input. */
export function pointCheck(facts: Pick<DesignFacts, 'find'>): PointCheck {
  let inputs: ModelInput[] = [];
  return {
    columns(names, placeOf) {
      const takenSoFar = new Set<string>();
      inputs = names.map((name, column) => newInput(name, facts, placeOf(column), takenSoFar));
      return inputs.map(({ name }) => name);
    },
    row: (values, placeOf) =>
      inputs.map((input, column) => canonical(input, values[column]!, placeOf(column))),
  };
}
