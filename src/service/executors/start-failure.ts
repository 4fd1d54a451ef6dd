import { closeSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../errors.ts';

/** The longest first line of a script that the system reads, in bytes. */
const LONGEST_SHEBANG = 256;
/** The exit code of a shell or of `env` that has not found a command. */
const NOT_FOUND = 127;
/** The exit code of a shell that cannot read its script. */
const NOT_READ = 2;
const SHELL = /^(?:ba|da|k|z)?sh$/;
const WINDOWS_LINE_END =
  'ends with a carriage return, as on Windows: save the file with line ends of Unix (for example with dos2unix)';

/** Why the system did not start a program, in words that complete "cannot be started: …". */
export function whyNotStarted(program: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return whyNotFound(program);
  if (code === 'EACCES') return `it may not be executed: make it executable (chmod +x ${nameOf(program)})`;
  return code === 'ENOEXEC'
    ? 'it is a text without a first line that names its interpreter, such as #!/bin/sh'
    : messageOf(error);
}

/** Why the system reports ENOENT. It reports this also for a script whose interpreter is missing. */
function whyNotFound(program: string): string {
  const line = firstLineOf(program);
  if (line === undefined) return 'there is no such program';
  if (!line.startsWith('#!'))
    return 'it was built for another system: the loader that it names does not exist';
  if (line.endsWith('\r')) return `its first line ${WINDOWS_LINE_END}`;
  return `its first line names the program ${line.slice(2).trim().split(/\s/)[0]}, which does not exist`;
}

/**
 * What is wrong with a script that ended with an exit code: its lines end with a carriage return. Then `env` cannot find
 * its interpreter, and a shell cannot read it. Empty if this is not the reason.
 */
export function faultOfScript(code: number, [program, ...rest]: readonly string[]): string {
  if (code !== NOT_FOUND && code !== NOT_READ) return '';
  const isShell = SHELL.test(nameOf(program!));
  const script = isShell ? rest.find((word) => !word.startsWith('-')) : program;
  const line = script === undefined ? undefined : firstLineOf(script);
  if (!line?.endsWith('\r')) return '';
  const isReason = isShell || (code === NOT_FOUND && line.startsWith('#!'));
  return isReason ? `the first line of ${nameOf(script!)} ${WINDOWS_LINE_END}` : '';
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
