import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { ErrorCode } from '../error-codes.ts';
import { ForayError, type LinePlace } from '../errors.ts';
import { textOf } from './lines.ts';

/**
 * The place of a field of a row. Its column is the number of the field until `withLines` changes it to the position of
 * the field in the line.
 */
export type PlaceOf = (field: number) => LinePlace;

/** Takes the fields of each row, as soon as the row is read. */
export interface RowReader {
  /** Takes the first row. */
  names(fields: string[], placeOf: PlaceOf): void;
  row(fields: string[], placeOf: PlaceOf): void;
}

/**
 * Reads a CSV file, one row at a time. All rows have as many fields as the first row, which has the names of the
 * columns.
 *
 * @throws ForayError with the code and the place, if the file is not such a table; the errors of the reader and of the
 * file system
 */
export async function readCsv(file: string, code: ErrorCode, reader: RowReader): Promise<void> {
  let columns = 0;
  let linesRead = 0;
  const parser = parse({
    // one file may have several kinds of line ends, for example after lines were appended on another system
    record_delimiter: ['\r\n', '\n', '\r'],
    trim: true,
    skip_empty_lines: true,
    on_record(record: string[], { lines }) {
      linesRead = lines;
      const placeOf = (field: number): LinePlace => ({ file, line: lines, column: field + 1 });
      if (columns > 0) reader.row(record, placeOf);
      else {
        columns = record.length;
        checkSeparator(record, code, placeOf(0));
        checkNames(record, code, placeOf);
        reader.names(record, placeOf);
      }
      // the parser passes no row on
      return null;
    },
  });
  try {
    await pipeline(textOf(file, code), parser);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // the parser takes the rest of the file as one value, so the quote opens after the last good row
    const line = error.code === 'CSV_QUOTE_NOT_CLOSED' ? linesRead + 1 : Number(error.lines ?? 1);
    const { message, hint } = brokenRow(error, columns, linesRead);
    throw new ForayError(code, message, { place: { file, line, column: 1 }, hint });
  }
  if (columns > 0) return;
  throw new ForayError(code, 'The file is empty.', {
    place: { file, line: 1, column: 1 },
    hint: 'Its first line must have the names of the columns.',
  });
}

/** Throws when the first line only names the separator, or when semicolons or tabs separate the names of the columns. */
function checkSeparator(names: readonly string[], code: ErrorCode, place: LinePlace): void {
  // Excel reads this line, and some programs write it for Excel
  if (/^sep=[,;|]?$/i.test(names.join(','))) {
    throw new ForayError(code, 'The line has only the separator of the columns.', {
      place,
      hint: 'Remove this line. Commas must separate the columns.',
    });
  }
  const [separator] = names.length === 1 ? (/[;\t]/.exec(names[0]!) ?? []) : [];
  if (separator === undefined) return;
  const called = separator === ';' ? 'semicolons' : 'tabs';
  throw new ForayError(code, `The columns are separated by ${called}.`, {
    place,
    hint: 'Separate them by commas.',
  });
}

/** Throws when a column has no name. pandas and R write the numbers of the rows as such a column. */
function checkNames(names: readonly string[], code: ErrorCode, placeOf: PlaceOf): void {
  const unnamed = names.indexOf('');
  if (unnamed < 0) return;
  if (unnamed > 0)
    throw new ForayError(code, `Column ${unnamed + 1} has no name.`, {
      place: placeOf(unnamed),
      hint: 'Give the column a name, or remove it. A comma at the end of the line begins another column.',
    });
  throw new ForayError(code, 'The first column has no name.', {
    place: placeOf(0),
    hint: 'If it has the numbers of the rows, write the file without them: index=False in pandas, row.names = FALSE in R.',
  });
}

/**
 * Describes what is wrong with a row. foray has its own messages for common mistakes.
 *
 * @param linesRead - the number of lines before the row
 */
function brokenRow(
  { code, message, record }: CsvError,
  columns: number,
  linesRead: number,
): { message: string; hint?: string } {
  if (code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH') {
    const values = (record as string[]).length;
    // write.table of R names the columns, but not the one with the names of the rows
    const mayHaveRowNames = linesRead <= 1 && values === columns + 1;
    return {
      message: `The row has ${values} ${values === 1 ? 'value' : 'values'} instead of ${columns}.`,
      hint: `Put a value that contains a comma in quotes.${mayHaveRowNames ? ' If R has written the file, write it with row.names = FALSE.' : ''}`,
    };
  }
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return { message: 'A quote is opened and never closed.', hint: HOW_TO_QUOTE };
  if (STRAY_QUOTE.includes(code))
    return { message: 'A quote is in the middle of a value.', hint: HOW_TO_QUOTE };
  return { message: `The table is broken: ${message}.` };
}

const STRAY_QUOTE: readonly string[] = [
  'CSV_INVALID_CLOSING_QUOTE',
  'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE',
  'INVALID_OPENING_QUOTE',
];
const HOW_TO_QUOTE = 'Put a value that contains a quote in quotes, and write the quote twice.';
