import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Texts whose form differs between the databases. */
export interface ColumnTypes {
  /** A primary key with values that the database assigns, counting up. */
  number: string;
  bytes: string;
  /** A text that is sorted by its bytes. */
  key: string;
}

export const sqliteTypes: ColumnTypes = {
  number: 'integer primary key autoincrement',
  bytes: 'blob',
  key: 'text',
};
export const postgresTypes: ColumnTypes = {
  number: 'serial primary key',
  bytes: 'bytea',
  key: 'text collate "C"',
};

/** All migrations, forward only, in the order of their names. A released name never changes. */
export function migrationsFor(types: ColumnTypes): Record<string, Migration> {
  return { '001': { up: (db) => first(db, types) } };
}

async function first(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  for (const statement of firstTables(types).split(';\n')) await sql.raw(statement).execute(db);
  await sql`insert into meta (name, value) values ('id', ${crypto.randomUUID()})`.execute(db);
}

/**
 * The tables; tables.ts says what their columns have. The column types that differ between the databases are
 * {@link ColumnTypes}.
 *
 * - `files.put_at` is when the file was put into the store. `foray gc` uses it to distinguish an unused file from a file
 *   that a campaign is about to refer to.
 * - `points_position` has the ordinal too, which makes it unique. So SQLite knows that each entry of the index is one
 *   point, and that the replications of a point need no further sorting.
 * - `runs_state` gives pages of waiting runs in the order of seq, without sorting. The state is the first column, so that
 *   only queries by state use the index. Otherwise SQLite would use it to scan a whole campaign in queries that look up
 *   runs by seq.
 * - `outputs.packed` has large outputs, compressed; `outputs` is then empty.
 * - `kept_files` has the output files that a campaign keeps. `lack` says why a file is missing. Usually few files are, and
 *   with `kept_files_lack` a count of them does not read the other files.
 * - `run_logs` has the logs of failed runs, for some runs of each cause.
 * - `asks` and `search_events` are the log of a search: its points with their values, and its decisions.
 * - `stopped_runs` are runs at the service that campaigns of this store have stopped, or were about to stop.
 * - `pictures` has what the page has drawn of closed campaigns.
 */
function firstTables({ number, bytes, key }: ColumnTypes): string {
  return `
create table meta (name text primary key, value text not null);
create table campaigns (
  number ${number},
  id text not null unique,
  campaign text not null,
  definition text not null,
  digest text not null,
  phase text not null,
  points integer,
  created_at bigint not null,
  updated_at bigint not null,
  note text not null default '',
  revision integer not null default 1,
  begun integer not null default 1,
  seqs integer not null default 0,
  service_id text,
  versions text,
  rounds text,
  owner text
);
create table files (hash text primary key, content ${bytes} not null, put_at bigint not null default 0);
create table points (
  campaign integer not null references campaigns (number),
  ordinal integer not null,
  key ${key} not null,
  "values" text not null,
  position integer not null default 0,
  revision integer not null default 1,
  verdict text,
  expected integer,
  draws integer not null default 1,
  primary key (campaign, ordinal),
  unique (campaign, key)
);
create unique index points_position on points (campaign, position, ordinal);
create table runs (
  campaign integer not null references campaigns (number),
  seq integer not null,
  ordinal integer not null,
  replication integer not null,
  state text not null,
  attempts integer not null default 0,
  run_id text,
  owned integer not null default 0,
  joined integer not null default 0,
  origin text,
  reason text,
  requested_at bigint,
  finished_at bigint,
  failures integer not null default 0,
  reseeded integer not null default 0,
  version integer,
  primary key (campaign, seq),
  unique (campaign, ordinal, replication)
);
create index runs_state on runs (state, campaign, seq);
create index runs_run_id on runs (run_id);
create table outputs (
  campaign integer not null references campaigns (number),
  seq integer not null,
  outputs text not null,
  packed ${bytes},
  primary key (campaign, seq)
);
create table kept_files (
  campaign integer not null references campaigns (number),
  hash text not null,
  file text references files (hash),
  lack text,
  primary key (campaign, hash)
);
create index kept_files_file on kept_files (file);
create index kept_files_lack on kept_files (campaign, lack) where lack is not null;
create table run_logs (
  campaign integer not null references campaigns (number),
  seq integer not null,
  cause text not null,
  lines text not null,
  omitted integer not null,
  command text,
  kept_at bigint not null,
  primary key (campaign, seq)
);
create table failed_attempts (
  campaign integer not null references campaigns (number),
  seq integer not null,
  failed_at bigint not null,
  version integer,
  reason text not null,
  primary key (campaign, seq, failed_at)
);
create table asks (
  campaign integer not null references campaigns (number),
  ask integer not null,
  ordinal integer,
  "values" text not null,
  "by" text not null,
  seen integer not null,
  told text,
  primary key (campaign, ask)
);
create table search_events (
  campaign integer not null references campaigns (number),
  number integer not null,
  event text not null,
  primary key (campaign, number)
);
create table stopped_runs (
  campaign integer not null references campaigns (number),
  run_id text not null,
  primary key (run_id, campaign)
);
create table pictures (
  campaign integer not null references campaigns (number),
  view text not null,
  state text not null,
  drawn ${bytes} not null,
  drawn_at bigint not null,
  primary key (campaign, view)
);
create table run_counts (
  campaign integer primary key references campaigns (number),
  waiting integer not null default 0,
  queued integer not null default 0,
  running integer not null default 0,
  failed integer not null default 0,
  "new" integer not null default 0,
  reused integer not null default 0
)`;
}
