/**
 * One entry for each schema version, applied in order. `user_version` counts the entries that a database has.
 *
 * - `runs.identity` is the hash of everything that makes two requests identical. Its unique index does not cover FAILED
 *   and STOPPED runs, so a new run may have the identity of such a run.
 * - `runs.seq` is the order of request. `executions` is the number of times that the run was claimed. It does not count
 *   claims that were given back, for example because a resource of the system was missing.
 * - `results` is separate from `runs`, so that long outputs do not make it slower to read statuses.
 * - `sub_runs` lists the runs that a run consists of, in order. For a run that consists of others, `tasks` is their
 *   number, and `tasks_left` is the number of those that have not completed. Such a run is never executed itself.
 * - `runs.direct` is 1 for a run that was requested itself, and 0 for a run that is only part of other runs.
 * - `run_logs` has the last printed lines of FAILED runs, as JSON; `number` is the order in which they failed.
 * - `versions.files` is the JSON list of a version's files with their hashes; null until it is known.
 * - `versions.manifest` has all data that are needed to run a version from its kept files, as JSON. It is null if the
 *   files are not kept. `pruned_at` is the time when kept files were removed.
 * - `versions.leak` says how outputs of a version have depended on earlier runs of a process; null if no run has
 *   shown that.
 * - `holders` lists the holders of runs. A service gets a new holder at each start, and after others took it for lost.
 *   Each execution of a lane has one. A closed holder claims no more runs. `runs.holder` is the last holder that
 *   claimed the run. `runs.losses` is the number of times a run lost its holder while it executed.
 * - `executors` has the last report of each executor on another machine, as JSON, and its time.
 */
export const migrations = [
  `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
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
    files TEXT,
    manifest TEXT,
    made_at TEXT,
    pruned_at TEXT,
    leak TEXT,
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
    finished_at TEXT,
    types TEXT NOT NULL DEFAULT '{}',
    direct INTEGER NOT NULL DEFAULT 1,
    tasks INTEGER,
    tasks_left INTEGER,
    holder TEXT,
    losses INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX runs_live ON runs (identity) WHERE status IN ('FRESH', 'RUNNING', 'COMPLETED');
  CREATE INDEX runs_identity ON runs (identity, seq);
  CREATE INDEX runs_fresh ON runs (seq) WHERE status = 'FRESH' AND tasks IS NULL;
  CREATE INDEX runs_running ON runs (seq) WHERE status = 'RUNNING' AND tasks IS NULL;
  CREATE TABLE results (run_seq INTEGER PRIMARY KEY REFERENCES runs (seq), outputs TEXT NOT NULL) STRICT;
  CREATE TABLE sub_runs (
    parent_seq INTEGER NOT NULL REFERENCES runs (seq),
    position INTEGER NOT NULL,
    run_seq INTEGER NOT NULL REFERENCES runs (seq),
    PRIMARY KEY (parent_seq, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sub_runs_run ON sub_runs (run_seq, parent_seq);
  CREATE TABLE run_logs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    run_seq INTEGER NOT NULL UNIQUE REFERENCES runs (seq),
    log TEXT NOT NULL
  ) STRICT;
  CREATE TABLE holders (id TEXT PRIMARY KEY, name TEXT NOT NULL, opened_at TEXT NOT NULL, closed_at TEXT) STRICT;
  CREATE INDEX holders_open ON holders (id) WHERE closed_at IS NULL;
  CREATE TABLE executors (name TEXT PRIMARY KEY, about TEXT NOT NULL, seen_at TEXT NOT NULL) STRICT;
  `,
];
