import type { Foray } from '../../client/index.ts';
import { ForayError } from '../../errors.ts';
import { type ShapeOptions, tableOf } from './format.ts';
import type { Cell, Table } from '../tables/result-table.ts';
import * as typed from './typed.ts';
import { parsed } from '../tables/value-kinds.ts';

/**
 * A value in a program: a number (also infinite or NaN), a bigint for a LONG, a boolean, a text (also times), the
 * parsed JSON of a value that is not a single cell, or null if there is none. Also a text if the service returned a
 * value of another type.
 */
export type ResultValue = string | number | bigint | boolean | object | null;
/** A row of results, by the names of its columns. */
export type ResultObject = Record<string, ResultValue>;

/** The rows and columns of results. */
export interface ResultsOptions extends ShapeOptions {
  /**
   * Yields rows of runs as they finish, until the campaign is over. It cannot be used with `points`.
   *
   * @default false
   */
  follow?: boolean;
}

/**
 * The results of a campaign as plain objects, streamed: the rows of `foray results` with typed values, by the names of its
 * columns. `Row` is the caller's type of a row; it is not checked.
 *
 * @throws ForayError USAGE, UNKNOWN_CAMPAIGN; CAMPAIGN_CHANGED while it is followed
 */
export async function* resultObjects<Row = ResultObject>(
  foray: Foray,
  id: string,
  options: ResultsOptions = {},
): AsyncGenerator<Row, void, void> {
  const { follow = false, points = false } = options;
  if (follow && points)
    throw new ForayError(
      'USAGE',
      'Rows of points cannot be followed: they come when all runs have finished.',
    );
  const { record, rows } = await foray.results(id, { follow });
  yield* objectsOf(tableOf(record.campaign, rows, options)) as AsyncGenerator<Row>;
}

/** The rows of a table with typed values. */
export async function* objectsOf({ columns, rows }: Table): AsyncGenerator<ResultObject> {
  const read = columns.map((column) => readers[typed.exactlyOf(column)]);
  for await (const cells of rows) {
    yield Object.fromEntries(columns.map(({ name }, at) => [name, valueOf(read[at]!, cells[at]!)]));
  }
}

function valueOf(read: (cell: string) => ResultValue | undefined, cell: Cell): ResultValue {
  if (cell === null) return null;
  const value = read(cell);
  return value === undefined ? cell : value;
}

const readers: Record<typed.Exactly, (cell: string) => ResultValue | undefined> = {
  double: typed.doubleIn,
  integer: typed.integerIn,
  long: typed.longIn,
  boolean: typed.booleanIn,
  local: (cell) => cell,
  instant: (cell) => cell,
  text: (cell) => cell,
  json: (cell) => parsed(cell) as ResultValue | undefined,
};
