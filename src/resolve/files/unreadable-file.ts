import { ForayError, messageOf, type Place } from '../../errors.ts';

/**
 * The error for a file that a definition names and that cannot be read.
 *
 * @param file the file as the message names it
 * @param cause the error of the file system
 * @param place the place of the path in the definition
 */
export function unreadableFile(file: string, cause: unknown, place: Place | undefined): ForayError {
  return new ForayError('DEFINITION_UNREADABLE', `The file ${file} ${whyUnreadable(cause)}.`, {
    place,
    hint: "Paths are relative to the definition's folder.",
  });
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
  EACCES: 'cannot be read (permission denied)',
  EPERM: 'cannot be read (permission denied)',
};
