import { closeSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../errors.ts';

/** The longest first line of a script that the system reads, in bytes. */
const LONGEST_SHEBANG = 256;

/** Why the system did not start a program, in words that complete "cannot be started: …". */
export function whyNotStarted(program: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return whyNotFound(program);
  if (code === 'EACCES') return 'it may not be executed';
  return code === 'ENOEXEC'
    ? 'it is a text without a first line that names its interpreter, such as #!/bin/sh'
    : messageOf(error);
}

/**
 * What is wrong with the first line of a script whose command was not found (exit code 127); empty if nothing is wrong
 * with it. `env` cannot find an interpreter whose name ends with a carriage return.
 */
export function faultOfShebang(program: string): string {
  const line = firstLineOf(program);
  return line?.startsWith('#!') && line.endsWith('\r')
    ? `the first line of ${nameOf(program)} ${WINDOWS}`
    : '';
}

const WINDOWS =
  'ends with a carriage return, as on Windows: save the file with line ends of Unix (for example with dos2unix)';

/** The system also reports ENOENT for a script whose interpreter is missing. */
function whyNotFound(program: string): string {
  const line = firstLineOf(program);
  if (line === undefined) return 'there is no such program';
  if (!line.startsWith('#!'))
    return 'it was built for another system: the loader that it names does not exist';
  if (line.endsWith('\r')) return `its first line ${WINDOWS}`;
  return `its first line names the program ${line.slice(2).trim().split(/\s/)[0]}, which does not exist`;
}

function nameOf(program: string): string {
  return path.basename(program);
}

/** The first line of a file; undefined if there is no such file. */
function firstLineOf(program: string): string | undefined {
  if (!program.includes(path.sep) || !statSync(program, { throwIfNoEntry: false })?.isFile())
    return undefined;
  const file = openSync(program, 'r');
  try {
    const bytes = Buffer.alloc(LONGEST_SHEBANG);
    return bytes.toString('latin1', 0, readSync(file, bytes)).split('\n', 1)[0];
  } finally {
    closeSync(file);
  }
}
