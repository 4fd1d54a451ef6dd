import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { SQLITE_BUSY, sqliteCode } from './sqlite-codes.ts';

/**
 * A lock that the operating system releases when the process that holds it ends in any way. So no lock is left after a
 * kill or a power failure. The lock is SQLite's lock on an empty file, and this file stays.
 */
export interface FileLock {
  release(): void;
}

const ASK_EVERY_MS = 20;

/**
 * Takes the lock; undefined while another process holds it.
 * @throws Error when the file cannot be created or opened
 */
export function tryLock(file: string): FileLock | undefined {
  const database = new DatabaseSync(file);
  try {
    // with its journal in memory, SQLite creates no second file
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (sqliteCode(error) === SQLITE_BUSY) return undefined;
    throw error;
  }
}

/**
 * Takes the lock, and waits for it up to `patience` ms; undefined if another process still holds it then.
 * @throws Error when the file cannot be created or opened
 */
export async function waitForLock(file: string, patience: number): Promise<FileLock | undefined> {
  const until = Date.now() + patience;
  for (;;) {
    const lock = tryLock(file);
    if (lock || Date.now() > until) return lock;
    await delay(ASK_EVERY_MS);
  }
}

/**
 * Whether a process holds the lock. This check creates no file.
 * @throws Error when the file exists and cannot be opened
 */
export function isLocked(file: string): boolean {
  if (!statSync(file, { throwIfNoEntry: false })) return false;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.exec('SELECT 1 FROM sqlite_master');
    return false;
  } catch (error) {
    if (sqliteCode(error) === SQLITE_BUSY) return true;
    throw error;
  } finally {
    database.close();
  }
}
