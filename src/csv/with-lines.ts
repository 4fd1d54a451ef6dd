import { ForayError, type LinePlace } from '../errors.ts';
import { linesOf } from './lines.ts';

/**
 * Adds the text of the line to an error that has a place in a file, and to the other mistakes in this file. It also
 * changes the columns of places from the number of a field to the position of the field's first character in the line.
 */
export async function withLines(error: ForayError): Promise<ForayError> {
  const all = [error, ...error.others];
  const lines = await readLines(all);
  const [first, ...others] = all.map((one) => withLine(one, lines));
  return first!.with(others);
}

/** The lines of the file that the errors name, by their numbers. The file is read only once. */
async function readLines(errors: readonly ForayError[]): Promise<Map<number, string>> {
  const lines = new Map<number, string>();
  const places = errors.flatMap((error) => placeWithoutText(error) ?? []);
  if (places.length === 0) return lines;
  const wanted = new Set(places.map(({ line }) => line));
  const last = Math.max(...wanted);
  let at = 0;
  for await (const text of linesOf(places[0]!.file, errors[0]!.code)) {
    at += 1;
    if (wanted.has(at)) lines.set(at, text);
    if (at >= last) break;
  }
  return lines;
}

function withLine(error: ForayError, lines: ReadonlyMap<number, string>): ForayError {
  const { code, message, hint } = error;
  const place = placeWithoutText(error);
  const text = place && lines.get(place.line);
  if (!place || text === undefined) return error;
  const { file, line, column } = place;
  const found = { file, line, column: 1 + startOfField(text, column - 1), text };
  return new ForayError(code, message, { place: found, hint });
}

/** The place of an error in a line whose text is not known yet. */
function placeWithoutText({ place }: ForayError): LinePlace | undefined {
  return place && 'line' in place && place.text === undefined ? place : undefined;
}

/** The index in a line of CSV where a field begins; 0 if the line has fewer fields. */
function startOfField(line: string, field: number): number {
  let isQuoted = false;
  let commas = 0;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '"') isQuoted = !isQuoted;
    if (line[at] !== ',' || isQuoted) continue;
    commas += 1;
    if (commas === field) return at + 1;
  }
  return 0;
}
