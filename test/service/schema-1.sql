-- The first version of the schema. The service must always be able to open such a database.
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
PRAGMA user_version = 1;
