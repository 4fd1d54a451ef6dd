import { createHash } from 'node:crypto';
import { dirname, extname, isAbsolute, join } from 'node:path';
import type { RawValue } from '../../api/index.ts';
import { type PointCheck, type PointFile, rowLine } from '../../campaign/designs/table.ts';
import { pointKeys } from '../../campaign/keys.ts';
import { linesOf } from '../../csv/lines.ts';
import { readCsv } from '../../csv/read-csv.ts';
import { withLines } from '../../csv/with-lines.ts';
import { ForayError, isForayError, type Place } from '../../errors.ts';
import { Mistakes } from '../../yaml/mistake-collector.ts';
import { sizeOfFile, unreadableFile } from './unreadable-file.ts';

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
  const read = ['.jsonl', '.ndjson'].includes(extname(path).toLowerCase()) ? readJsonLines : readTable;
  const mistakes = new Mistakes();
  let inputs: string[];
  try {
    await sizeOfFile(file);
    inputs = (await mistakes.attemptAsync(() => read(file, check, rows, mistakes))) ?? [];
    mistakes.throwAny();
  } catch (error) {
    if (isForayError(error)) throw await withLines(error);
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
  #keyOf: ReturnType<typeof pointKeys> | undefined;
  readonly #keys = new Set<string>();
  readonly #chunks: Buffer[] = [];
  readonly #hash = createHash('sha256');
  #lines = '';

  add(row: readonly string[]): void {
    this.#keyOf ??= pointKeys(row.map((_, column) => String(column)));
    this.#keys.add(this.#keyOf(row));
    this.#lines += rowLine(row);
    this.count += 1;
    if (this.count % CHUNK === 0) this.#flush();
  }

  end(): Omit<PointFile, 'inputs'> & { content: Uint8Array } {
    this.#flush();
    const repeats = this.count - this.#keys.size;
    return {
      content: Buffer.concat(this.#chunks),
      hash: this.#hash.digest('base64url'),
      count: this.count,
      ...(repeats > 0 && { repeats }),
    };
  }

  #flush(): void {
    const chunk = Buffer.from(this.#lines);
    this.#hash.update(chunk);
    this.#chunks.push(chunk);
    this.#lines = '';
  }
}

async function readTable(file: string, check: PointCheck, rows: Rows, mistakes: Mistakes): Promise<string[]> {
  let inputs: string[] = [];
  await readCsv(file, 'POINTS_INVALID', {
    names(names, placeOf) {
      inputs = check.columns(names, placeOf);
    },
    row(values, placeOf) {
      mistakes.attempt(() => rows.add(check.row(values, placeOf)));
    },
  });
  return inputs;
}

async function readJsonLines(
  file: string,
  check: PointCheck,
  rows: Rows,
  mistakes: Mistakes,
): Promise<string[]> {
  let names: string[] | undefined;
  let inputs: string[] = [];
  let line = 0;
  for await (const text of linesOf(file, 'POINTS_INVALID')) {
    line += 1;
    if (text.trim() === '') continue;
    const place: Place = { file, line, column: 1 };
    const placeOf = (): Place => place;
    if (!names) {
      names = Object.keys(objectIn(text, place));
      inputs = check.columns(names, placeOf);
    }
    const known = names;
    mistakes.attempt(() => rows.add(check.row(valuesOf(objectIn(text, place), known, place), placeOf)));
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
  for (const [name, value] of Object.entries(point)) {
    if (['string', 'number', 'boolean'].includes(typeof value)) continue;
    throw new ForayError('POINTS_INVALID', `The value of "${name}" is not a number, text, true or false.`, {
      place,
    });
  }
  // no value is an object with names of its own, so each name in the line is the name of an input
  if (countNames(text) > Object.keys(point).length) {
    throw new ForayError('POINTS_INVALID', 'The point gives an input twice.', { place });
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
