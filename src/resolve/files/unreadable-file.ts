import { stat } from 'node:fs/promises';
import { ForayError, messageOf, type Place } from '../../errors.ts';

/**
 * The error for a file that a definition names and that cannot be read.
 *
 * @param file the file as the message names it
 * @param cause the error of the file system
 * @param place the place of the path, in the definition or in a point file
 * @param of what contains the path
 */
export function unreadableFile(
  file: string,
  cause: unknown,
  place: Place | undefined,
  of: 'definition' | 'point file' = 'definition',
): ForayError {
  return new ForayError('DEFINITION_UNREADABLE', `The file ${file} ${whyUnreadable(cause)}.`, {
    place,
    hint: `Paths are relative to the ${of}'s folder.`,
  });
}

/**
 * Checks that a path leads to a file before it is opened, because a pipe or a device may hold its reader for ever.
 *
 * @returns the size in bytes
 * @throws Error of the system, or with the code `NO_FILE`
 */
export async function sizeOfFile(file: string): Promise<number> {
  const found = await stat(file);
  if (found.isFile()) return found.size;
  throw Object.assign(new Error('no file'), { code: found.isDirectory() ? 'EISDIR' : 'NO_FILE' });
}

/** The reason why a file cannot be read, in words that can follow "The file X". */
export function whyUnreadable(error: unknown): string {
  const { code = messageOf(error) } = error as NodeJS.ErrnoException;
  return reasons[code] ?? `cannot be read (${code})`;
}

const reasons: Record<string, string> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is not there',
  EISDIR: 'is a folder',
  NO_FILE: 'is a pipe or a device, and not a file',
  EACCES: 'cannot be read (permission denied)',
  EPERM: 'cannot be read (permission denied)',
};
