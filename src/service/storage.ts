/** Primary result code of SQLite, in the low byte of an extended one. */
const SQLITE_FULL = 13;

/** Whether something could not be written because there is no room: it may be, later. */
export function isStorageFull(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const isFull = typeof errcode === 'number' && errcode % 256 === SQLITE_FULL;
  return code === 'ENOSPC' || code === 'EDQUOT' || isFull;
}
