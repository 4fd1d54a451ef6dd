import { sqliteCode } from '../system/sqlite-codes.ts';

/** Primary result codes of SQLite (the low byte of an extended code) for errors that happen again at each attempt. */
const SQLITE_LASTING = new Set([
  1, // ERROR
  18, // TOOBIG
  19, // CONSTRAINT
  20, // MISMATCH
  21, // MISUSE
  25, // RANGE
]);

/**
 * The codes of errors of PostgreSQL after which a further attempt may succeed: conflicts, lack of resources, objects in
 * use, intervention by an operator, errors of its machine.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const POSTGRES_PASSING = /^(40|53|55|57|58)...$/;

/**
 * Whether the system failed an operation, such as opening a file or starting a thread. Such an error shows nothing
 * about the content of a file, and a later attempt may succeed.
 */
export function isSystemError(error: unknown): boolean {
  const { errno, syscall, code } = Object(error) as { errno?: unknown; syscall?: unknown; code?: unknown };
  if (typeof code === 'string' && code.startsWith('ERR_WORKER_')) return true;
  return typeof errno === 'number' && typeof syscall === 'string';
}

const SCARCE = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC', 'EDQUOT', 'EIO']);

/**
 * Whether the system lacks a resource that it may have later: descriptors, processes, memory, disk space. An error of a
 * disk (EIO) counts as well.
 */
export function isShortage(error: unknown): boolean {
  return SCARCE.has((Object(error) as NodeJS.ErrnoException).code!);
}

/**
 * Whether a later attempt may succeed after this error of the database. Examples: the database is busy, its disk is
 * full, its disk cannot be read.
 */
export function mayPass(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  if (isUnreachable(error) || (typeof code === 'string' && POSTGRES_PASSING.test(code))) return true;
  const sqlite = sqliteCode(Object(error));
  return sqlite !== 0 && !SQLITE_LASTING.has(sqlite);
}

/** Whether there is no connection to the database, or its file is lost. */
export function isUnreachable(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return code === 'STORE_UNREACHABLE' || code === 'STORE_LOST';
}
