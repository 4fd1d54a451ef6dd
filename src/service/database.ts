import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ForayError, messageOf } from '../errors.ts';
import { type FileLock, tryLock } from '../file-lock.ts';

/**
 * One entry a schema version, applied in order; `user_version` counts those that a database has.
 *
 * - `runs.identity` is the hash of everything that makes two requests identical. Its unique index covers the runs that
 * answer for their identity. A FAILED or STOPPED run is not among them, so a new run may have its identity.
 * - `runs.seq` is the order of request. `executions` is the number of started executions, without those that failed for
 * lack of a resource of the system.
 * - `results` is separate from `runs`, so that long outputs do not slow down reading statuses.
 * - `sub_runs` lists the runs that a run consists of, in order. Such a run has their number in `tasks` and the number of
 *   those that have not completed in `tasks_left`; it is never executed itself. `direct` is 1 for a run that was
 * requested itself, and 0 for one that is only part of other runs.
 * - `run_logs` has the last printed lines of FAILED runs, as JSON; `number` is the order in which they failed.
 * - `versions.files` is the JSON list of a version's files with their hashes; null for a version of an earlier foray.
 * - `versions.manifest` has everything for running a version from its kept files, as JSON. It is null if they are not
 * kept; `pruned_at` is then the time of their removal, if they were kept before. `made_at` is null for a version of an earlier foray.
 */
const migrations = [
  `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE keys (hash TEXT PRIMARY KEY, user TEXT NOT NULL, created_at TEXT NOT NULL) STRICT;
  CREATE TABLE models (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL, published INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE versions (
    id TEXT PRIMARY KEY,
    model_id TEXT NOT NULL REFERENCES models (id),
    number INTEGER NOT NULL,
    code_hash TEXT NOT NULL,
    template TEXT NOT NULL,
    experiments TEXT NOT NULL,
    UNIQUE (model_id, number)
  ) STRICT;
  CREATE TABLE runs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version_id TEXT NOT NULL REFERENCES versions (id),
    experiment_type TEXT NOT NULL,
    identity TEXT NOT NULL,
    inputs TEXT NOT NULL,
    status TEXT NOT NULL,
    failure TEXT,
    executions INTEGER NOT NULL DEFAULT 0,
    requested_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT
  ) STRICT;
  CREATE UNIQUE INDEX runs_live ON runs (identity) WHERE status IN ('FRESH', 'RUNNING', 'COMPLETED');
  CREATE INDEX runs_identity ON runs (identity, seq);
  CREATE INDEX runs_fresh ON runs (seq) WHERE status = 'FRESH';
  CREATE INDEX runs_running ON runs (seq) WHERE status = 'RUNNING';
  CREATE TABLE results (run_seq INTEGER PRIMARY KEY REFERENCES runs (seq), outputs TEXT NOT NULL) STRICT;
  `,
  `
  DROP TABLE keys;
  ALTER TABLE runs ADD COLUMN types TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE runs ADD COLUMN direct INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE runs ADD COLUMN tasks INTEGER;
  ALTER TABLE runs ADD COLUMN tasks_left INTEGER;
  DROP INDEX runs_fresh;
  DROP INDEX runs_running;
  CREATE INDEX runs_fresh ON runs (seq) WHERE status = 'FRESH' AND tasks IS NULL;
  CREATE INDEX runs_running ON runs (seq) WHERE status = 'RUNNING' AND tasks IS NULL;
  CREATE TABLE sub_runs (
    parent_seq INTEGER NOT NULL REFERENCES runs (seq),
    position INTEGER NOT NULL,
    run_seq INTEGER NOT NULL REFERENCES runs (seq),
    PRIMARY KEY (parent_seq, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sub_runs_run ON sub_runs (run_seq, parent_seq);
  `,
  `
  CREATE TABLE run_logs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    run_seq INTEGER NOT NULL UNIQUE REFERENCES runs (seq),
    log TEXT NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE versions ADD COLUMN files TEXT;
  `,
  `
  ALTER TABLE versions ADD COLUMN manifest TEXT;
  ALTER TABLE versions ADD COLUMN made_at TEXT;
  ALTER TABLE versions ADD COLUMN pruned_at TEXT;
  `,
];

const DATABASE = 'service.db';

/** The database in the data folder of a service. */
export function databaseFile(dataDir: string): string {
  return path.join(dataDir, DATABASE);
}

/** The service's database. Only this process holds it until `close`. */
export interface ServiceDatabase {
  db: DatabaseSync;
  close(): void;
}

/**
 * Opens and checks `service.db` in the data folder. Creates it if it does not exist.
 *
 * Commits go to the write-ahead log with synchronous=NORMAL: accepted requests survive kill -9 of the process. A power
 * cut may lose the last moments, but leaves the database consistent. The cache of 64 MB holds the indexes, whose keys
 * are random: with SQLite's default of 2 MB, adding 10,000 runs takes twice as long when there are 20,000 already.
 *
 * @throws ForayError STORE_UNUSABLE if it is damaged, cannot be opened or is in use by another process; STORE_NEWER
 */
export function openDatabase(dataDir: string): ServiceDatabase {
  const file = databaseFile(dataDir);
  const lock = lockFolder(dataDir);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 5_000 });
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;');
    check(db);
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
  return {
    db: opened,
    close() {
      opened.close();
      lock.release();
    },
  };
}

/** Two services on one folder would both execute its runs. Other processes can still read the database. */
function lockFolder(dataDir: string): FileLock {
  let lock: FileLock | undefined;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // the folder may have existed and be open to others, but nobody else may read the secret that signs addresses
    closeSync(openSync(databaseFile(dataDir), 'a', 0o600));
    lock = tryLock(path.join(dataDir, 'service.lock'));
  } catch (error) {
    throw new ForayError('STORE_UNUSABLE', `The data folder ${dataDir} cannot be used: ${messageOf(error)}.`);
  }
  if (lock) return lock;
  throw new ForayError(
    'STORE_UNUSABLE',
    `The data folder ${dataDir} cannot be used: another model service uses it.`,
  );
}

function check(db: DatabaseSync): void {
  const [first] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
  if (first?.quick_check !== 'ok') throw new Error(`it is damaged (${first?.quick_check})`);
  // this check skips long values, which have pages of their own
  const versions = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'versions'").get();
  if (versions) db.prepare('SELECT * FROM versions').all();
}

function migrate(db: DatabaseSync, file: string): void {
  const { user_version: have } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (have > migrations.length) {
    throw new ForayError('STORE_NEWER', `The database ${file} was written by a newer foray.`, {
      hint: 'Update foray.',
    });
  }
  for (const [index, migration] of migrations.entries()) {
    if (index >= have) db.exec(`BEGIN; ${migration} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}

/** The UUID of the service. It is made once and kept in the database, so it stays the same at any address. */
export function serviceIdentity(db: DatabaseSync): string {
  db.prepare("INSERT OR IGNORE INTO settings (name, value) VALUES ('identity', ?)").run(crypto.randomUUID());
  const row = db.prepare("SELECT value FROM settings WHERE name = 'identity'").get() as { value: string };
  return row.value;
}
