import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ForayError, messageOf } from '../errors.ts';
import { type FileLock, tryLock } from '../file-lock.ts';

/**
 * One entry a schema version, applied in order; `user_version` counts those that a database has.
 *
 * - `runs.identity` is the hash of what makes two requests identical. The unique index over it covers the runs that
 *   answer for their identity: one that FAILED or was STOPPED makes room for a new one.
 * - `runs.seq` is the order of request, `executions` how many times execution was started, without those
 *   that came to nothing because the system lacked something.
 * - `results` is apart from `runs`, so that long outputs do not slow the reading of statuses.
 * - `sub_runs` says which runs a run consists of, in order. Such a run has their number in `tasks` and the number of
 *   those that have not completed in `tasks_left`; it is never executed itself. `direct` is 1 for a run that was
 *   requested by itself, 0 for one that is wanted as a part of others only.
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
];

const DATABASE = 'service.db';

/** The service's database, held by this process alone until `close`. */
export interface ServiceDatabase {
  db: DatabaseSync;
  close(): void;
}

/**
 * Opens, checks and if need be creates `service.db` in the data folder.
 *
 * Commits are in the write-ahead log with synchronous=NORMAL: what was accepted survives kill -9 of the process; a
 * power cut may lose the last moments, and leaves the database whole. The cache of 64 MB holds the indexes, whose keys
 * are random: with SQLite's own 2 MB, adding 10,000 runs takes twice as long once there are 20,000.
 *
 * @throws ForayError STORE_UNUSABLE when it is damaged, cannot be opened or serves another process; STORE_NEWER
 */
export function openDatabase(dataDir: string): ServiceDatabase {
  const file = path.join(dataDir, DATABASE);
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

/** Two services on one folder would both run its runs. The database itself stays readable for others. */
function lockFolder(dataDir: string): FileLock {
  let lock: FileLock | undefined;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // the folder may have been there, open to others: the secret that addresses are signed with is for nobody else
    closeSync(openSync(path.join(dataDir, DATABASE), 'a', 0o600));
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
