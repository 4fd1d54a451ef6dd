import { stat } from 'node:fs/promises';
import { ForayError, type Place } from '../../errors.ts';
import { whyUnreadable } from '../../system/why-unreadable.ts';

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
