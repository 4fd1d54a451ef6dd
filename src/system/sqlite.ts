import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hasDatabase } from './database-file.ts';

/** How long a statement waits for other processes, ms. */
export const PATIENCE = 10_000;

/**
 * Opens a database in a file, and makes the file and its folder, for their user only, if they do not exist. Other
 * processes can read the database while one writes it (WAL). With `synchronous = normal`, each commit survives a SIGKILL
 * of the process. A power failure may lose the last commits, but leaves the database consistent.
 *
 * @param file - a path, or `:memory:`
 * @param holds - how long a statement may hold its thread while it waits for other processes, ms
 * @throws ForayError STORE_LOST if the file was taken away; the error of SQLite or of the system
 */
export function openSqlite(file: string, holds = PATIENCE): DatabaseSync {
  if (file !== ':memory:') {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // SQLite gives its other files the permissions of this one
    if (!hasDatabase(file)) closeSync(openSync(file, 'a', 0o600));
  }
  const database = new DatabaseSync(file, { timeout: holds });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Rolls back the open transaction. After some errors, such as a full disk, SQLite has rolled back already. Another
 * rollback would fail and hide the first error.
 */
export function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec('ROLLBACK');
}
