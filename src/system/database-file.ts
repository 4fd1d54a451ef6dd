import { existsSync } from 'node:fs';
import { ForayError } from '../errors.ts';

/**
 * Whether there is a SQLite database at a path. If there is none, nobody may make one while the log of an earlier one
 * is there: SQLite would delete the log. A program that still works in the file that was taken away would then lose
 * what it has written, also after the file is back.
 *
 * @throws ForayError STORE_LOST if only the log is there
 */
export function hasDatabase(path: string): boolean {
  if (existsSync(path)) return true;
  const log = logOf(path);
  if (!existsSync(log)) return false;
  throw new ForayError('STORE_LOST', `The file ${path} was taken away, but its log ${log} is still there.`, {
    hint: 'Put the file back, because the log belongs to it. To begin with an empty file, stop all programs that use it, and move the log away too.',
  });
}

/** The path of the log of a SQLite database, which has its last changes. */
export function logOf(path: string): string {
  return `${path}-wal`;
}
