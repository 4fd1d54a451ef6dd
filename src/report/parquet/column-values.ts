import type { Cell } from '../result-table.ts';

type Bound = number | bigint | boolean | Uint8Array;

export interface Bounds {
  min_value?: Bound;
  max_value?: Bound;
  nan_count?: bigint;
}

/** Values of a column of a row group, those that are there. */
export interface Encoded {
  /** By Parquet's encoding PLAIN. */
  values: Uint8Array;
  /** The places of the column's values among these, where each is there once only. */
  places?: Uint32Array;
  /** How many values there are. */
  count: number;
  /** Where they are of use. */
  bounds?: Bounds | undefined;
}

/** A column of a row group as it is gathered. */
export abstract class ColumnValues {
  /** Of each row, whether it has a value. */
  readonly levels: Uint8Array;
  rows = 0;
  nulls = 0;
  /** Values that were not of the type, of all groups. */
  mismatches = 0;

  /** @param most rows of a group */
  constructor(most: number) {
    this.levels = new Uint8Array(most);
  }

  /** Takes in the cells of some rows. */
  take(rows: readonly (readonly Cell[])[], column: number, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const cell = rows[at]![column]!;
      const isThere = cell !== null && this.put(cell);
      if (cell !== null && !isThere) this.mismatches++;
      if (!isThere) this.nulls++;
      this.levels[this.rows++] = isThere ? 1 : 0;
    }
  }

  clear(): void {
    this.rows = 0;
    this.nulls = 0;
  }

  abstract encoded(): Encoded;
  /** Takes in a value; false if it is not of the type. */
  protected abstract put(cell: string): boolean;
}
