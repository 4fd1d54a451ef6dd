import type { Foray } from '../../client/index.ts';
import { ForayError } from '../../errors.ts';
import { type ShapeOptions, tableOf } from './format.ts';
import type { Cell, Table } from '../tables/result-table.ts';
import * as typed from './typed.ts';
import { parsed } from '../../campaign/curves.ts';

/**
 * A typed value of a result. A number may be infinite or NaN, a LONG is a bigint, and a time is a text. A value that is
 * not a single cell is parsed JSON. A missing value is null. A value that does not have the declared type is a text.
 */
export type ResultValue = string | number | bigint | boolean | object | null;
/** A row of results: values by column name. */
export type ResultObject = Record<string, ResultValue>;

/** Which rows and columns the results have. */
export interface ResultsOptions extends ShapeOptions {
  /**
   * Yields the row of each run when the run finishes, until the campaign is over. It cannot be used with `points`.
   *
   * @default false
   */
  follow?: boolean;
}

/**
 * Streams the results of a campaign as plain objects: the rows of `foray results`, with typed values by column name.
 * `Row` is the caller's type of a row; it is not checked.
 *
 * @throws ForayError USAGE, UNKNOWN_CAMPAIGN; CAMPAIGN_CHANGED if the campaign gets other inputs or outputs while it is
 * followed
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
      'Rows of points cannot be followed, because the row of a point needs all its runs.',
    );
  const { record, rows } = await foray.results(id, { follow });
  yield* objectsOf(tableOf(record.campaign, rows, options)) as AsyncGenerator<Row>;
}

/** Yields the rows of a table as objects with typed values. */
export async function* objectsOf({ columns, rows }: Table): AsyncGenerator<ResultObject> {
  const read = columns.map((column) => readers[typed.exactTypeOf(column)]);
  for await (const cells of rows) {
    yield Object.fromEntries(columns.map(({ name }, at) => [name, valueOf(read[at]!, cells[at]!)]));
  }
}

function valueOf(read: (cell: string) => ResultValue | undefined, cell: Cell): ResultValue {
  if (cell === null) return null;
  const value = read(cell);
  return value === undefined ? cell : value;
}

const readers: Record<typed.ExactType, (cell: string) => ResultValue | undefined> = {
  double: typed.doubleIn,
  integer: typed.integerIn,
  long: typed.longIn,
  boolean: typed.booleanIn,
  local: (cell) => cell,
  instant: (cell) => cell,
  text: (cell) => cell,
  json: (cell) => parsed(cell) as ResultValue | undefined,
};
