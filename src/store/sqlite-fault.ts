import { ForayError, messageOf } from '../errors.ts';
import { FREE_SPACE, isStorageFull } from '../system/disk-full.ts';
import { SameFile } from '../system/same-file.ts';
import {
  SQLITE_BUSY,
  SQLITE_CORRUPT,
  SQLITE_IOERR,
  SQLITE_READONLY,
  sqliteCode,
} from '../system/sqlite-codes.ts';

/**
 * Converts an error of SQLite into a ForayError if a user can do something about its cause: a full disk, a file that
 * is locked, a disk that fails or cannot be written, a damaged file. Other errors stay as they are.
 *
 * @param path - the file of the store
 */
export function sqliteFault(path: string, error: unknown): unknown {
  if (isStorageFull(error))
    return new ForayError('STORE_UNUSABLE', `The disk of the store ${path} is full.`, { hint: FREE_SPACE });
  switch (sqliteCode(error)) {
    case SQLITE_BUSY:
      // the words of SQLite stay, because `patiently` tries again when it finds them
      return new ForayError('STORE_UNUSABLE', `The store ${path} is in use: ${messageOf(error)}.`, {
        hint: 'Another process has been writing it for long. If a worker is frozen ("foray doctor" lists the workers), end its process, and try again.',
      });
    case SQLITE_READONLY:
    case SQLITE_IOERR:
      return new ForayError('STORE_UNUSABLE', `The store ${path} cannot be used: ${messageOf(error)}.`, {
        hint: 'Check its permissions, and whether its disk is full, damaged or read-only.',
      });
    case SQLITE_CORRUPT:
      return new ForayError('STORE_UNUSABLE', `The store ${path} is damaged: ${messageOf(error)}.`, {
        hint: 'Restore it from a copy, or move it away to start with an empty one.',
      });
    default:
      return error;
  }
}

/** Returns a function that says why the file of an open store must not be used any more; undefined if it may be used. */
export function lossOf(path: string): () => ForayError | undefined {
  const file = new SameFile(path);
  return () =>
    file.isSame()
      ? undefined
      : new ForayError(
          'STORE_LOST',
          `The file of the store ${path} or its log (-wal) was removed or replaced.`,
          {
            hint: 'Nothing is written into the lost file. Put the same file back, or stop all programs that use the store, put a copy there, and start them again.',
          },
        );
}
