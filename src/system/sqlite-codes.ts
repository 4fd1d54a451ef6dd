/**
 * Primary result codes of SQLite for a locked file, a file that cannot be written, a fault of the disk, a damaged file,
 * and a full disk.
 */
export const SQLITE_BUSY = 5;
export const SQLITE_READONLY = 8;
export const SQLITE_IOERR = 10;
export const SQLITE_CORRUPT = 11;
export const SQLITE_FULL = 13;

/** The primary code of an error of SQLite, which is the low byte of its extended code; 0 for other errors. */
export function sqliteCode(error: unknown): number {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode % 256 : 0;
}
