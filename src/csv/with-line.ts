import { ForayError } from '../errors.ts';
import { linesOf } from './lines.ts';

/**
 * Adds the text of the line to an error that has a place in a file. It also changes the column of the place from the
 * number of a field to the position of the field's first character in the line.
 */
export async function withLine(error: ForayError): Promise<ForayError> {
  const { code, message, place, hint } = error;
  if (!place || !('line' in place) || place.text !== undefined) return error;
  const { file, line, column } = place;
  let at = 0;
  for await (const text of linesOf(file, code)) {
    at += 1;
    if (at < line) continue;
    const found = { file, line, column: 1 + startOfField(text, column - 1), text };
    return new ForayError(code, message, { place: found, hint });
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
