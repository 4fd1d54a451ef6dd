import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ForayError } from '../errors.ts';

/** One line for a person, on standard output. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** One line about what goes on, on standard error, so that standard output holds the answer alone. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The one JSON document of a command with --json. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, undefined, 2));
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return typeof error === 'object' && error !== null && 'code' in error && 'syscall' in error;
}

/** Writes a file whole or not at all, or to standard output when no file is given. */
export async function writeOut(
  parts: AsyncIterable<string> | Iterable<string>,
  file?: string,
): Promise<void> {
  if (file === undefined) {
    for await (const part of parts) {
      if (!process.stdout.write(part)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
    return;
  }
  const unfinished = `${file}.part`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await pipeline(Readable.from(parts), createWriteStream(unfinished));
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    if (!isSystemError(error)) throw error;
    throw new ForayError('OUTPUT_UNWRITABLE', `The file ${file} cannot be written (${error.code}).`, {
      hint: 'Check the path and its permissions.',
    });
  }
}
