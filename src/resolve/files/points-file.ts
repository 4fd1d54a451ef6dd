import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { dirname, extname, isAbsolute, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { RawValue } from '../../api/index.ts';
import { type PointCheck, type PointFile, rowLine } from '../../campaign/designs/table.ts';
import { ForayError, isForayError, type LinePlace, type Place } from '../../errors.ts';
import { linesOf } from './lines.ts';
import { unreadableFile } from './unreadable-file.ts';

/** The maximum number of lines that are hashed together. */
const CHUNK = 1_000;

/**
 * Reads and checks a point file, one row at a time. The file is CSV with input names in its first line. With the
 * extension .jsonl or .ndjson it is JSON Lines: one object per line, and all objects have the same inputs.
 *
 * @param path the path as the definition has it, absolute or relative to the definition's folder
 * @param place the place of the path in the definition
 * @returns the content for the store, and its hash
 * @throws ForayError DEFINITION_UNREADABLE, EMPTY_DESIGN with the place in the definition; POINTS_INVALID and the
 * errors of `check` with the place in the file
 */
export async function readPointsFile(
  path: string,
  definitionFile: string,
  place: Place,
  check: PointCheck,
): Promise<PointFile & { content: Uint8Array }> {
  const file = isAbsolute(path) ? path : join(dirname(definitionFile), path);
  const rows = new Rows();
  const read = extname(path) === '.jsonl' || extname(path) === '.ndjson' ? readJsonLines : readCsv;
  let inputs: string[];
  try {
    inputs = await read(file, check, rows);
  } catch (error) {
    if (isForayError(error))
      throw error.place && 'line' in error.place ? await withLine(error, error.place) : error;
    throw unreadableFile(`"${path}"`, error, place);
  }
  if (rows.count === 0) {
    throw new ForayError('EMPTY_DESIGN', `The file "${path}" has no points.`, { place });
  }
  return { inputs, ...rows.end() };
}

/**
 * Collects rows for the store. It stores canonical values, so that a file with the same values in other spellings
 * counts as the same file.
 */
class Rows {
  count = 0;
  readonly #chunks: Buffer[] = [];
  readonly #hash = createHash('sha256');
  #lines = '';

  add(row: readonly string[]): void {
    this.#lines += rowLine(row);
    this.count += 1;
    if (this.count % CHUNK === 0) this.#flush();
  }

  end(): { content: Uint8Array; hash: string; count: number } {
    this.#flush();
    return { content: Buffer.concat(this.#chunks), hash: this.#hash.digest('base64url'), count: this.count };
  }

  #flush(): void {
    const chunk = Buffer.from(this.#lines);
    this.#hash.update(chunk);
    this.#chunks.push(chunk);
    this.#lines = '';
  }
}

async function readCsv(file: string, check: PointCheck, rows: Rows): Promise<string[]> {
  let inputs: string[] | undefined;
  let linesRead = 0;
  const parser = parse({
    bom: true,
    trim: true,
    skip_empty_lines: true,
    on_record(record: string[], { lines }) {
      linesRead = lines;
      const placeOf = (column: number): Place => ({ file, line: lines, column: column + 1 });
      if (inputs) rows.add(check.row(record, placeOf));
      else inputs = check.columns(checkedNames(record, placeOf), placeOf);
      return null;
    },
  });
  try {
    await pipeline(createReadStream(file), parser, new Transform({ objectMode: true }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // the parser takes the rest of the file as one value, so the quote opens after the last good row
    const line = error.code === 'CSV_QUOTE_NOT_CLOSED' ? linesRead + 1 : Number(error.lines ?? 1);
    const { message, hint } = brokenRow(error, inputs?.length ?? 0);
    throw new ForayError('POINTS_INVALID', message, { place: { file, line, column: 1 }, hint });
  }
  if (inputs) return inputs;
  throw new ForayError('POINTS_INVALID', 'The file is empty.', {
    place: { file, line: 1, column: 1 },
    hint: 'Its first line must have the names of inputs.',
  });
}

/** Returns the names of the columns. Throws when semicolons or tabs separate them. */
function checkedNames(names: string[], placeOf: (column: number) => Place): string[] {
  const [separator] = names.length === 1 ? (/[;\t]/.exec(names[0]!) ?? []) : [];
  if (separator === undefined) return names;
  const called = separator === ';' ? 'semicolons' : 'tabs';
  throw new ForayError('POINTS_INVALID', `The columns are separated by ${called}.`, {
    place: placeOf(0),
    hint: 'Separate them by commas.',
  });
}

/** Describes what is wrong with a row. foray has its own messages for common mistakes. */
function brokenRow({ code, message, record }: CsvError, columns: number): { message: string; hint?: string } {
  if (code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH') {
    const values = (record as string[]).length;
    return {
      message: `The row has ${values} ${values === 1 ? 'value' : 'values'} instead of ${columns}.`,
      hint: 'Put a value that contains a comma in quotes.',
    };
  }
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return { message: 'A quote is opened and never closed.', hint: DOUBLED };
  if (STRAY_QUOTE.includes(code)) return { message: 'A quote is in the middle of a value.', hint: DOUBLED };
  return { message: `The table is broken: ${message}.` };
}

const STRAY_QUOTE: readonly string[] = [
  'CSV_INVALID_CLOSING_QUOTE',
  'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE',
  'INVALID_OPENING_QUOTE',
];
const DOUBLED = 'Put a value that contains a quote in quotes, and write the quote twice.';

async function readJsonLines(file: string, check: PointCheck, rows: Rows): Promise<string[]> {
  let names: string[] | undefined;
  let inputs: string[] = [];
  let line = 0;
  for await (const text of linesOf(file)) {
    line += 1;
    if (text.trim() === '') continue;
    const place: Place = { file, line, column: 1 };
    const placeOf = (): Place => place;
    const point = objectIn(text, place);
    if (!names) {
      names = Object.keys(point);
      inputs = check.columns(names, placeOf);
    }
    rows.add(check.row(valuesOf(point, names, place), placeOf));
  }
  return inputs;
}

/** Matches escaped characters and quotes in a line of JSON. A colon follows the closing quote of a name. */
const QUOTES = /\\.|"(\s*:)?/g;

function objectIn(text: string, place: Place): Record<string, RawValue> {
  let point: unknown;
  try {
    point = JSON.parse(text);
  } catch {
    throw new ForayError('POINTS_INVALID', 'The line is not JSON.', { place });
  }
  if (
    typeof point !== 'object' ||
    point === null ||
    Array.isArray(point) ||
    Object.keys(point).length === 0
  ) {
    throw new ForayError('POINTS_INVALID', 'The line is not an object of inputs and values.', { place });
  }
  if (countNames(text) > Object.keys(point).length) {
    throw new ForayError('POINTS_INVALID', 'The point gives an input twice.', { place });
  }
  for (const [name, value] of Object.entries(point)) {
    if (['string', 'number', 'boolean'].includes(typeof value)) continue;
    throw new ForayError('POINTS_INVALID', `The value of "${name}" is not a number, text, true or false.`, {
      place,
    });
  }
  return point as Record<string, RawValue>;
}

/** Counts the names in a line of JSON, repeated ones included. */
function countNames(json: string): number {
  let count = 0;
  let isInText = false;
  for (const [found, colon] of json.matchAll(QUOTES)) {
    if (found.startsWith('\\')) continue;
    isInText = !isInText;
    if (!isInText && colon !== undefined) count += 1;
  }
  return count;
}

/** The values of a point, in the order of the first point's names. Throws when the names differ. */
function valuesOf(point: Record<string, RawValue>, names: readonly string[], place: Place): RawValue[] {
  const missing = names.find((name) => !Object.hasOwn(point, name));
  const other = Object.keys(point).find((name) => !names.includes(name));
  if (missing === undefined && other === undefined) return names.map((name) => point[name]!);
  throw new ForayError(
    'POINTS_INVALID',
    missing === undefined
      ? `The point has "${other}", but the first point does not.`
      : `The point lacks "${missing}", which the first point has.`,
    { place, hint: 'All points of a file must have the same inputs.' },
  );
}

/**
 * Adds the text of the line to an error that has a place in the file. It also changes the column of the place from the
 * number of a field to the position of the field's first character in the line.
 */
async function withLine(error: ForayError, { file, line, column }: LinePlace): Promise<ForayError> {
  let at = 0;
  for await (const text of linesOf(file)) {
    at += 1;
    if (at < line) continue;
    const place: Place = { file, line, column: 1 + startOfField(text, column - 1), text };
    return new ForayError(error.code, error.message, { place, hint: error.hint });
  }
  return error;
}

/** The index in a line of CSV where a field begins. */
function startOfField(line: string, field: number): number {
  let isQuoted = false;
  let before = 0;
  for (let at = 0; at < line.length && before < field; at += 1) {
    if (line[at] === '"') isQuoted = !isQuoted;
    if (line[at] !== ',' || isQuoted) continue;
    before += 1;
    if (before === field) return at + 1;
  }
  return 0;
}
