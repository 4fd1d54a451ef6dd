import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import type { ErrorCode } from '../error-codes.ts';
import { ForayError } from '../errors.ts';

/** The ends of lines. Other line separators of Unicode are part of the text; Node's readline would split at them. */
const LINE_END = /\r\n|\n|\r/;

/**
 * Yields the lines of a text file, without line ends and without a byte order mark.
 * @throws ForayError with the code, if the file is not text
 */
export function linesOf(file: string, code: ErrorCode): AsyncGenerator<string> {
  return linesIn(textOf(file, code));
}

/**
 * Yields a text file in parts, without a byte order mark. The file is in UTF-8, or in UTF-16 with a byte order mark.
 * @throws ForayError with the code and the line, if the file is not text
 */
export async function* textOf(file: string, code: ErrorCode): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      if (!decoder) {
        checkText(chunk, file, code);
        const isUtf16 = chunk[0] === 0xff && chunk[1] === 0xfe;
        decoder = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true });
      }
      yield decoder.decode(chunk, { stream: true });
    }
    // this throws if the file ends in the middle of a character
    decoder?.decode();
  } catch (error) {
    const { code: reason } = error as NodeJS.ErrnoException;
    throw reason === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? await notText(file, code) : error;
  }
}

/** The first bytes of files that are not text, and what such a file is. */
const BINARY_FILES: readonly [bytes: string, what: string, hint: string][] = [
  ['PK\x03\x04', 'a workbook of Excel or another zip archive', 'Save the table as CSV (UTF-8).'],
  ['\xd0\xcf\x11\xe0', 'a workbook of an older Excel', 'Save the table as CSV (UTF-8).'],
  ['\x1f\x8b', 'compressed with gzip', 'Unpack it first.'],
  ['BZh', 'compressed with bzip2', 'Unpack it first.'],
  ['\xfd7zXZ', 'compressed with xz', 'Unpack it first.'],
  ['\x28\xb5\x2f\xfd', 'compressed with zstd', 'Unpack it first.'],
  ['PAR1', 'a Parquet file', 'Write the table as CSV.'],
  ['ARROW1', 'a Feather or Arrow file', 'Write the table as CSV.'],
  ['\x89HDF', 'an HDF5 file', 'Write the table as CSV.'],
  ['\x93NUMPY', 'an array of NumPy', 'Write the table as CSV.'],
  ['SQLite format 3', 'a database of SQLite', 'Write the table as CSV.'],
  ['%PDF-', 'a PDF', 'Write the table as CSV.'],
];

/** @throws ForayError with the code, if the file begins like a file that is not text */
function checkText(start: Buffer, file: string, code: ErrorCode): void {
  const found = BINARY_FILES.find(([bytes]) => start.toString('latin1', 0, bytes.length) === bytes);
  if (!found) return;
  const [, what, hint] = found;
  throw new ForayError(code, `The file is ${what}, not text.`, { place: { file, line: 1, column: 1 }, hint });
}

async function* linesIn(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  /** A carriage return at the end of a part: the next part may begin with its newline. */
  let held = '';
  for await (const part of parts) {
    const text = held + part;
    held = text.endsWith('\r') ? '\r' : '';
    // only the new part is split: a line may be as long as the file, and splitting it again and again would be slow
    const [first, ...others] = text.slice(0, text.length - held.length).split(LINE_END);
    const last = others.pop();
    rest += first!;
    if (last === undefined) continue;
    yield rest;
    yield* others;
    rest = last;
  }
  if (rest !== '' || held !== '') yield rest;
}

/** The error for the first line that is not UTF-8 text. */
async function notText(file: string, code: ErrorCode): Promise<ForayError> {
  let line = 0;
  let text = '';
  // in Latin-1 each byte is a character, so the bytes of a line are known
  for await (const latin of linesIn(createReadStream(file, 'latin1') as AsyncIterable<string>)) {
    line += 1;
    const bytes = Buffer.from(latin, 'latin1');
    text = bytes.toString();
    if (!isUtf8(bytes)) break;
  }
  const place = { file, line, column: 1 + text.indexOf('\ufffd'), text };
  return new ForayError(code, 'The line is not UTF-8 text.', { place, hint: 'Save the file as UTF-8.' });
}
