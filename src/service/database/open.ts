import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ForayError, messageOf } from '../../errors.ts';
import { type FileLock, tryLock } from '../../system/file-lock.ts';
import { SameFile } from '../../system/same-file.ts';
import { openSqlite } from '../../system/sqlite.ts';
import type { Database } from './database.ts';
import { migrations } from './migrations.ts';
import type { Presence } from './presence.ts';
import { SqliteDatabase } from './sqlite.ts';

const DATABASE = 'service.db';
/**
 * The size of SQLite's cache, KiB. It holds the indexes, whose keys are random. With SQLite's default of 2 MB, adding
 * 10,000 runs to 20,000 runs takes twice as long.
 */
const CACHE = 64 * 1024;

/** The database in the data folder of a service. */
export function databaseFile(dataDir: string): string {
  return path.join(dataDir, DATABASE);
}

export interface ServiceDatabase {
  sql: Database;
  /** The other services of the database; undefined if only one service can use it. */
  peers?: Presence;
  /**
   * Why the database cannot be used now: its file was taken away, or its server cannot be reached. Undefined if it can be
   * used. Call it at an interval.
   */
  whyLost: () => ForayError | undefined;
  close(): Promise<void>;
}

/**
 * Opens and checks `service.db` in the data folder. Creates it if it does not exist. No other service can open it until
 * `close`.
 *
 * @throws ForayError STORE_UNUSABLE if the database is damaged, cannot be opened or is in use by another process;
 * STORE_NEWER; STORE_LOST if its file was taken away
 */
export function openDatabase(dataDir: string): ServiceDatabase {
  const file = databaseFile(dataDir);
  const lock = lockFolder(dataDir);
  let db: DatabaseSync | undefined;
  try {
    db = openSqlite(file);
    db.exec(`PRAGMA cache_size = -${CACHE}`);
    checkWhole(db);
    migrate(db, file);
  } catch (error) {
    db?.close();
    lock.release();
    if (error instanceof ForayError) throw error;
    throw new ForayError('STORE_UNUSABLE', `The database ${file} cannot be used: ${messageOf(error)}.`, {
      hint: 'Restore it from a copy, or move it away to start with an empty one.',
    });
  }
  const opened = db;
  const same = new SameFile(file);
  const whyLost = (): ForayError | undefined =>
    same.isSame()
      ? undefined
      : new ForayError('STORE_LOST', `The database ${file} or its log (-wal) was removed or replaced.`, {
          hint: 'Nothing is written into the lost file. Put the same file back, or stop the service, put a copy there, and start it again.',
        });
  return {
    sql: new SqliteDatabase(opened, whyLost),
    whyLost,
    close() {
      opened.close();
      lock.release();
      return Promise.resolve();
    },
  };
}

/**
 * Locks the data folder: two services on one folder would both execute its runs. Other processes can still read the
 * database.
 *
 * @throws ForayError STORE_UNUSABLE
 */
export function lockFolder(dataDir: string): FileLock {
  let lock: FileLock | undefined;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    lock = tryLock(path.join(dataDir, 'service.lock'));
  } catch (error) {
    throw new ForayError('STORE_UNUSABLE', `The data folder ${dataDir} cannot be used: ${messageOf(error)}.`);
  }
  if (lock) return lock;
  throw new ForayError(
    'STORE_UNUSABLE',
    `The data folder ${dataDir} cannot be used: another model service uses it.`,
    {
      hint: 'Stop that service, or name another folder. Several services share a database in PostgreSQL (--database).',
    },
  );
}

/** @throws Error if the database is damaged */
function checkWhole(db: DatabaseSync): void {
  const [first] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
  if (first?.quick_check !== 'ok') throw new Error(`it is damaged (${first?.quick_check})`);
  const hasVersions = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'versions'").get() !== undefined;
  // this also reads the long values, which are on pages of their own
  if (hasVersions) db.prepare('SELECT * FROM versions').all();
}

function migrate(db: DatabaseSync, file: string): void {
  const done = countMigrations(db, file);
  for (const [index, migration] of migrations.entries()) {
    if (index >= done) db.exec(`BEGIN; ${migration} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}

/** Counts the migrations that a database has. @throws ForayError STORE_NEWER */
export function countMigrations(db: DatabaseSync, file: string): number {
  const { user_version: done } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (done <= migrations.length) return done;
  throw new ForayError('STORE_NEWER', `The database ${file} was written by a newer foray.`, {
    hint: 'Update foray.',
  });
}
