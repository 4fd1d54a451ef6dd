/** SQLite's primary result code for a full disk. The primary code is the low byte of an extended code. */
const SQLITE_FULL = 13;

/** What to do about a full disk. */
export const FREE_SPACE = 'Free space on this disk, and try again.';

/** Whether a write failed because the disk, or a quota on it, is full. A later write may succeed. */
export function isStorageFull(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const isFull = typeof errcode === 'number' && errcode % 256 === SQLITE_FULL;
  return code === 'ENOSPC' || code === 'EDQUOT' || isFull;
}
