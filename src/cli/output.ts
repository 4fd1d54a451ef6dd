import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ForayError, type Place } from '../errors.ts';
import { logsJson, type LogLevel, writeLog } from '../log.ts';
import { FREE_SPACE, isStorageFull } from '../system/disk-full.ts';
import { isSystemError, makeFolder } from '../system/file-system.ts';
import { printable, printableLine } from '../text/printable.ts';
import { replaceFile } from '../system/replace-file.ts';
import { joined, type Parts } from '../report/formats/joined.ts';
import { oneLine } from '../text/suggest.ts';

/**
 * Prints one or more lines for readers on standard output. Control characters in text of a service or a model have no
 * effect.
 */
export function print(line = ''): void {
  process.stdout.write(`${printable(line)}\n`);
}

/**
 * Prints rows of cells in columns under a title. The first row has the headings. If there are no further rows, the
 * function prints nothing.
 */
export function printTable(title: string, cells: string[][]): void {
  if (cells.length === 1) return;
  const rows = cells.map((row) => row.map(printableLine));
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  print();
  print(title);
  for (const row of rows) print(`  ${row.map((cell, at) => cell.padEnd(widths[at]!)).join('  ')}`.trimEnd());
}

/** Prints one or more lines on standard error, such as progress and errors. Standard output has only the results. */
export function tell(line: string, level: LogLevel = 'info'): void {
  writeLog(level, line, line);
}

/** Prints what a server says when it starts, without secrets: in the log if that is JSON, otherwise for readers. */
export function announce(line: string): void {
  if (logsJson()) tell(line.replace(/  +/, ' '));
  else print(line);
}

/** Maximum number of mistakes in a user's file that are shown. Further mistakes are only counted. */
const MOST_SHOWN = 20;

/** Prints an error that a user can fix, and further mistakes in the same file. */
export function tellError(error: ForayError): void {
  if (logsJson()) return writeLog('error', error.message, '', errorFields(error));
  tellMistake(error);
  for (const other of error.others.slice(0, MOST_SHOWN - 1)) tellMistake(other);
  const more = error.others.length - (MOST_SHOWN - 1);
  if (more > 0) tell(`and ${more} more ${more === 1 ? 'mistake' : 'mistakes'}`);
}

/** Of a line with a mistake, at most this many characters are shown. */
const LONGEST_LINE = 100;
/** If a mistake has more characters before it than this, only the last `SHOWN_LEAD` of them are shown. */
const LONGEST_LEAD = 60;
const SHOWN_LEAD = 30;

/** Prints what is wrong and where. If the text of the line is known, prints the line and a mark below the place. */
function tellMistake(error: ForayError): void {
  const { place } = error;
  if (!place) return tell(`foray: ${error.toLine()}`);
  tell(error.toLine());
  if (!('line' in place) || place.text === undefined) return;
  const number = `  ${place.line} | `;
  // if the place is far to the right, the beginning of the line is left out, so that the mark stays visible
  const from = place.column > LONGEST_LEAD ? place.column - 1 - SHOWN_LEAD : 0;
  const lead = from > 0 ? '…' : '';
  tell(`${number}${lead}${oneLine(place.text.slice(from, from + LONGEST_LINE))}`);
  tell(`${' '.repeat(number.length + lead.length + place.column - 1 - from)}^`);
}

let hasPrintedJson = false;

/** Prints the one JSON document of a command with --json. */
export function printJson(value: unknown): void {
  hasPrintedJson = true;
  process.stdout.write(forStdout(`${JSON.stringify(value, undefined, 2)}\n`));
}

/** The parts of an error that its JSON document contains. */
interface TellableError extends Pick<ForayError, 'message'> {
  code: string;
  hint?: string | undefined;
  place?: Place | undefined;
  others?: readonly ForayError[];
}

/** Prints the error of a command with --json as its one document, unless the command has already printed a document. */
export function printErrorJson(error: TellableError, exit: number): void {
  if (hasPrintedJson) return;
  const { others = [] } = error;
  const more = others.length > 0 && { others: others.map(errorDocument) };
  printJson({ error: { ...errorDocument(error), ...more }, exit });
}

/** The fields of an error in the log, beside its message. */
function errorFields({ code, hint, place, others }: ForayError): object {
  return { code, hint, place, ...(others.length > 0 && { others: others.map(errorDocument) }) };
}

function errorDocument({ code, message, hint, place }: TellableError): object {
  return { code, message, hint: hint ?? null, place: place ?? null };
}

/**
 * Writes a file completely or not at all, or writes to standard output when no file is given. An existing device or
 * pipe is written directly, and a link is followed.
 *
 * @param flows - whether standard output gets each part at once; otherwise many parts are written together
 */
export async function writeOut(parts: Parts, file?: string, flows = false): Promise<void> {
  if (file === undefined) {
    for await (const part of flows ? parts : joined(parts)) {
      if (!process.stdout.write(forStdout(part)))
        await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
    return;
  }
  try {
    await makeFolder(dirname(file));
    const there = await stat(file).catch(() => undefined);
    if (there && !there.isFile() && !there.isDirectory())
      await pipeline(Readable.from(joined(parts)), createWriteStream(file));
    else await writeWhole(parts, file);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new ForayError('OUTPUT_UNWRITABLE', `The file ${file} cannot be written (${error.code}).`, {
      hint: isStorageFull(error) ? FREE_SPACE : 'Check the path and its permissions.',
    });
  }
}

/**
 * A part of a table or a document for standard output. A terminal must not carry out what a text of a model or a service
 * contains; a file or a pipe gets the exact text.
 */
function forStdout<Part extends string | Uint8Array>(part: Part): Part | string {
  return process.stdout.isTTY && typeof part === 'string' ? printable(part) : part;
}

async function writeWhole(parts: Parts, file: string): Promise<void> {
  await replaceFile(file, async (unfinished) => {
    for await (const part of joined(parts)) await unfinished.append(part);
  });
}

/** The file in `--output`; undefined for `-`, which means standard output. */
export function fileOf(output: string | undefined): string | undefined {
  return output === '-' ? undefined : output;
}

/** Whether a stream goes to a terminal that can rewrite its lines. */
export function isTerminal({ isTTY }: NodeJS.WriteStream): boolean {
  return isTTY && process.env.TERM !== 'dumb';
}

/** Whether a table goes to a terminal. */
export function isScreen(file: string | undefined): boolean {
  return file === undefined && process.stdout.isTTY;
}

/** How much of a table is written: a terminal gets the first rows, in its width, and a file or a pipe everything. */
export function tableSize(file: string | undefined): { width?: number; limit?: number } {
  // a terminal may not report its width
  return isScreen(file) ? { width: process.stdout.columns || Infinity } : { limit: Infinity };
}
