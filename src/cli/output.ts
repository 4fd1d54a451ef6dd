import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ForayError, type Place } from '../errors.ts';
import { isSystemError, makeFolder } from '../file-system.ts';
import { printable, printableLine } from '../printable.ts';
import { replaceFile } from '../replace-file.ts';
import { oneLine } from '../suggest.ts';

/** One line or more for a person, on standard output. What a service or a model said in it cannot steer the terminal. */
export function print(line = ''): void {
  process.stdout.write(`${printable(line)}\n`);
}

/** Rows of cells in columns under a title, the first row their heads; nothing where there are heads only. */
export function printTable(title: string, cells: string[][]): void {
  if (cells.length === 1) return;
  const rows = cells.map((row) => row.map(printableLine));
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  print();
  print(title);
  for (const row of rows) print(`  ${row.map((cell, at) => cell.padEnd(widths[at]!)).join('  ')}`.trimEnd());
}

/** One line or more about what goes on, on standard error, so that standard output holds the answer alone. */
export function tell(line: string): void {
  tellPart(`${line}\n`);
}

/** A part of a text, which may begin or end within a line. */
export function tellPart(text: string): void {
  process.stderr.write(printable(text));
}

/** Mistakes of a user's file beyond these are counted, so that the first ones stay in sight. */
const MOST_SHOWN = 20;

/** An error that a user can mend, and further mistakes in the same file. */
export function tellError(error: ForayError): void {
  tellMistake(error);
  for (const other of error.others.slice(0, MOST_SHOWN - 1)) tellMistake(other);
  const more = error.others.length - (MOST_SHOWN - 1);
  if (more > 0) tell(`and ${more} more`);
}

/** What is wrong and where, the line in the file, and a mark below the place. */
function tellMistake(error: ForayError): void {
  const { place } = error;
  if (!place) return tell(`foray: ${error.toLine()}`);
  tell(error.toLine());
  if (!('line' in place) || place.text === undefined) return;
  const number = `  ${place.line} | `;
  // so far on that the mark would be out of sight, the line is shown from there
  const from = place.column > LONGEST_LEAD ? place.column - 1 : 0;
  tell(`${number}${from > 0 ? '…' : ''}${oneLine(place.text.slice(from, from + LONGEST_LINE))}`);
  tell(`${' '.repeat(number.length + (from > 0 ? 1 : place.column - 1))}^`);
}

const LONGEST_LEAD = 60;
const LONGEST_LINE = 100;

let hasPrintedJson = false;

/** The one JSON document of a command with --json. */
export function printJson(value: unknown): void {
  hasPrintedJson = true;
  process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** An error as a document of JSON has it. */
interface TellableError extends Pick<ForayError, 'message'> {
  code: string;
  hint?: string | undefined;
  place?: Place | undefined;
  others?: readonly ForayError[];
}

/** Why a command with --json failed, as its one document; not where it has printed one before it failed. */
export function printErrorJson(error: TellableError, exit: number): void {
  if (hasPrintedJson) return;
  const { others = [] } = error;
  const more = others.length > 0 && { others: others.map(errorDocument) };
  printJson({ error: { ...errorDocument(error), ...more }, exit });
}

function errorDocument({ code, message, hint, place }: TellableError): object {
  return { code, message, hint: hint ?? null, place: place ?? null };
}

type Parts = AsyncIterable<string | Uint8Array> | Iterable<string>;

/**
 * Writes a file whole or not at all, or to standard output when no file is given. What is there and no file (a device, a pipe)
 * is written to; of a link, what it leads to.
 *
 * @param flows whether each part is to be seen as it comes; else many are written at once
 */
export async function writeOut(parts: Parts, file?: string, flows = false): Promise<void> {
  if (file === undefined) {
    for await (const part of flows ? parts : joined(parts)) {
      if (!process.stdout.write(part)) await new Promise((resolve) => process.stdout.once('drain', resolve));
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
      hint: 'Check the path and its permissions.',
    });
  }
}

async function writeWhole(parts: Parts, file: string): Promise<void> {
  await replaceFile(file, async (unfinished) => {
    for await (const part of joined(parts)) await unfinished.append(part);
  });
}

/** The file that `--output` names; `-` is standard output, as elsewhere. */
export function fileOf(output: string | undefined): string | undefined {
  return output === '-' ? undefined : output;
}

/** Columns of the terminal; some say that they have none. */
export function terminalWidth(): number {
  return process.stdout.columns || Infinity;
}

/** Characters of texts that are written at once, at least. */
const AT_ONCE = 65_536;

/** Texts put together: a write for each row of a table would take longer than all else of it. Bytes come as they are. */
async function* joined(parts: Parts): AsyncIterable<string | Uint8Array> {
  let text = '';
  for await (const part of parts) {
    if (typeof part === 'string') text += part;
    if (typeof part === 'string' && text.length < AT_ONCE) continue;
    if (text !== '') yield text;
    text = '';
    if (typeof part !== 'string') yield part;
  }
  if (text !== '') yield text;
}
