import type { Cell } from '../../tables/result-table.ts';

type Bound = number | bigint | boolean | Uint8Array;

export interface Bounds {
  min_value?: Bound;
  max_value?: Bound;
  nan_count?: bigint;
}

/** The encoded values of a column in a row group. Missing values are left out. */
export interface Encoded {
  /** The values, or the values of the dictionary, in Parquet's encoding PLAIN. */
  values: Uint8Array;
  /** The indices of the column's values in the dictionary, which has each value once. */
  places?: Uint32Array;
  /** The number of encoded values; with a dictionary, the number of values in it. */
  count: number;
  /** The least and the greatest value; undefined if no reader uses them. */
  bounds?: Bounds | undefined;
}

/** A column of a row group while it is collected. */
export abstract class ColumnValues {
  /** For each row, 1 if it has a value, otherwise 0. */
  readonly levels: Uint8Array;
  rows = 0;
  nulls = 0;
  /** The number of values that did not have the column's type, in all groups together. */
  mismatches = 0;

  /** @param most - the largest number of rows in a group */
  constructor(most: number) {
    this.levels = new Uint8Array(most);
  }

  /** Adds the cells of one column, for the rows from `from` up to but not including `to`. */
  add(rows: readonly (readonly Cell[])[], column: number, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const cell = rows[at]![column]!;
      const isThere = cell !== null && this.put(cell);
      if (cell !== null && !isThere) this.mismatches++;
      if (!isThere) this.nulls++;
      this.levels[this.rows++] = isThere ? 1 : 0;
    }
  }

  /** The number of values: rows that are not null. */
  protected get count(): number {
    return this.rows - this.nulls;
  }

  clear(): void {
    this.rows = 0;
    this.nulls = 0;
  }

  abstract encoded(): Encoded;
  /** Adds a value. Returns false if the value does not have the type of the column. */
  protected abstract put(cell: string): boolean;
}
