import { SQLITE_FULL, SQLITE_READONLY, sqliteCode } from './sqlite-codes.ts';

/** What to do about a full disk. */
export const FREE_SPACE = 'Free space on this disk, and try again.';

/** Whether a write failed because the disk, or a quota on it, is full. A later write may succeed. */
export function isStorageFull(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ENOSPC' || code === 'EDQUOT' || sqliteCode(error) === SQLITE_FULL;
}

/** Whether a write failed because the disk is read-only, as after a fault of it. */
export function isReadOnly(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'EROFS' || sqliteCode(error) === SQLITE_READONLY;
}
