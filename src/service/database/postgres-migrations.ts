/**
 * The tables of {@link migrations} in PostgreSQL. Each schema version has one entry, by its number with three digits.
 *
 * - Texts with the collation "C" are sorted and compared by their bytes, as in SQLite, whatever the language of the
 *   database.
 * - `progress` has the progress of the runs that each service knows, as JSON. The table is not in the log of the
 *   database, so it is empty after a crash of the server.
 */
export const postgresMigrations: Record<string, string> = {
  '001': `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE models (
    id TEXT PRIMARY KEY, name TEXT COLLATE "C" NOT NULL, description TEXT NOT NULL, published INTEGER NOT NULL
  );
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
  );
  CREATE TABLE runs (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    version_id TEXT NOT NULL REFERENCES versions (id),
    experiment_type TEXT NOT NULL,
    identity TEXT COLLATE "C" NOT NULL,
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
  );
  CREATE UNIQUE INDEX runs_live ON runs (identity) WHERE status IN ('FRESH', 'RUNNING', 'COMPLETED');
  CREATE INDEX runs_identity ON runs (identity, seq);
  CREATE INDEX runs_fresh ON runs (seq) WHERE status = 'FRESH' AND tasks IS NULL;
  CREATE INDEX runs_running ON runs (seq) WHERE status = 'RUNNING' AND tasks IS NULL;
  CREATE TABLE results (run_seq BIGINT PRIMARY KEY REFERENCES runs (seq), outputs TEXT NOT NULL);
  CREATE TABLE sub_runs (
    parent_seq BIGINT NOT NULL REFERENCES runs (seq),
    position INTEGER NOT NULL,
    run_seq BIGINT NOT NULL REFERENCES runs (seq),
    PRIMARY KEY (parent_seq, position)
  );
  CREATE INDEX sub_runs_run ON sub_runs (run_seq, parent_seq);
  CREATE TABLE run_logs (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_seq BIGINT NOT NULL UNIQUE REFERENCES runs (seq),
    log TEXT NOT NULL
  );
  CREATE TABLE holders (id TEXT COLLATE "C" PRIMARY KEY, name TEXT NOT NULL, opened_at TEXT NOT NULL, closed_at TEXT COLLATE "C");
  CREATE INDEX holders_open ON holders (id) WHERE closed_at IS NULL;
  CREATE TABLE executors (name TEXT COLLATE "C" PRIMARY KEY, about TEXT NOT NULL, seen_at TEXT COLLATE "C" NOT NULL);
  CREATE UNLOGGED TABLE progress (service TEXT PRIMARY KEY, shares TEXT NOT NULL);
  `,
};
