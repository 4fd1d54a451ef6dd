import type { RawValue } from '../../api/index.ts';
import type { Place } from '../../errors.ts';

/** The checked points of a file. The store keeps their canonical values, one JSON array per line. */
export interface PointFile {
  /** The hash of the kept content. */
  hash: string;
  inputs: string[];
  count: number;
  /** The number of rows that are equal to earlier rows; absent if there are none. */
  repeats?: number;
}

/**
 * Checks a table of points while it is read: the names of its columns once, then each row. Both functions throw a
 * ForayError for a mistake.
 */
export interface PointCheck {
  /** Returns the inputs with the model's spelling. */
  columns(names: readonly string[], placeOf: (column: number) => Place): string[];
  /** Returns the canonical values of a row that has a value in each column. */
  row(values: readonly RawValue[], placeOf: (column: number) => Place): string[];
}

/** The text of a row in the store. */
export function rowLine(row: readonly string[]): string {
  return `${JSON.stringify(row)}\n`;
}

const LINE_FEED = 10;

/** The rows of a text from {@link rowLine}, one at a time. */
export function* readRows(content: Uint8Array): Generator<string[]> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  for (let from = 0; from < bytes.length;) {
    const to = bytes.indexOf(LINE_FEED, from);
    yield JSON.parse(bytes.toString('utf8', from, to)) as string[];
    from = to + 1;
  }
}
