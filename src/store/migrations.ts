import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Column types whose names differ between the databases. */
export interface ColumnTypes {
  /** A primary key with values that the database assigns, counting up. */
  number: 'serial' | 'integer';
  bytes: 'bytea' | 'blob';
  /** A text that is sorted by its bytes. */
  key: 'text' | RawBuilder<unknown>;
}

export const sqliteTypes: ColumnTypes = { number: 'integer', bytes: 'blob', key: 'text' };
export const postgresTypes: ColumnTypes = { number: 'serial', bytes: 'bytea', key: sql`text collate "C"` };

/** All migrations, forward only, in the order of their names. A released name never changes. */
export function migrationsFor(types: ColumnTypes): Record<string, Migration> {
  return {
    '001-campaigns': { up: (db) => campaigns(db, types) },
    '002-changes': { up: changes },
    '003-files': { up: files },
    '004-packed': { up: (db) => packed(db, types) },
    '005-kept-files': { up: keptFiles },
    '006-verdicts': { up: verdicts },
    '007-run-logs': { up: runLogs },
    '008-versions': { up: versions },
    '009-search': { up: search },
    '010-stopped-runs': { up: stoppedRuns },
    '011-rounds': { up: rounds },
    '012-counts': { up: counts },
    '013-owner': { up: owner },
    '014-draws': { up: draws },
  };
}

async function campaigns(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const schema = db.schema;
  await schema
    .createTable('meta')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('campaigns')
    .addColumn('number', types.number, (column) =>
      types.number === 'serial' ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('campaign', 'text', (column) => column.notNull())
    .addColumn('definition', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('phase', 'text', (column) => column.notNull())
    .addColumn('points', 'integer')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await schema
    .createTable('files')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('content', types.bytes, (column) => column.notNull())
    .execute();
  await schema
    .createTable('points')
    .addColumn('campaign', 'integer', (column) => column.notNull().references('campaigns.number'))
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('key', types.key, (column) => column.notNull())
    .addColumn('values', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('points_pk', ['campaign', 'ordinal'])
    .addUniqueConstraint('points_key', ['campaign', 'key'])
    .execute();
  await schema
    .createTable('runs')
    .addColumn('campaign', 'integer', (column) => column.notNull().references('campaigns.number'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('replication', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('run_id', 'text')
    .addColumn('owned', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('joined', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('origin', 'text')
    .addColumn('reason', 'text')
    .addColumn('requested_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addPrimaryKeyConstraint('runs_pk', ['campaign', 'seq'])
    .addUniqueConstraint('runs_point', ['campaign', 'ordinal', 'replication'])
    .execute();
  // with this index, counting runs by state and finding open runs does not read finished runs
  await schema.createIndex('runs_state').on('runs').columns(['campaign', 'state']).execute();
  await schema.createIndex('runs_run_id').on('runs').column('run_id').execute();
  await schema
    .createTable('outputs')
    .addColumn('campaign', 'integer', (column) => column.notNull().references('campaigns.number'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('outputs', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('outputs_pk', ['campaign', 'seq'])
    .execute();
  await sql`insert into meta (name, value) values ('id', ${crypto.randomUUID()})`.execute(db);
}

/** Columns for changes and retries of campaigns. */
async function changes(db: Kysely<unknown>): Promise<void> {
  const schema = db.schema;
  await schema
    .alterTable('campaigns')
    .addColumn('revision', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await schema
    .alterTable('campaigns')
    .addColumn('begun', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await schema
    .alterTable('campaigns')
    .addColumn('seqs', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`
    update campaigns set seqs =
      coalesce((select max(seq) + 1 from runs where runs.campaign = campaigns.number), 0)`.execute(db);
  await schema
    .alterTable('points')
    .addColumn('position', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .alterTable('points')
    .addColumn('revision', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await sql`update points set position = ordinal`.execute(db);
  // the ordinal makes the index unique. So SQLite knows that each entry of the index is one point, and that the
  // replications of a point need no further sorting
  await schema
    .createIndex('points_position')
    .unique()
    .on('points')
    .columns(['campaign', 'position', 'ordinal'])
    .execute();
  // this index gives pages of waiting runs in the order of seq, without sorting. The state is the first column, so that
  // only queries by state use the index. Otherwise SQLite would use it to scan a whole campaign in queries that look up
  // runs by seq
  await schema.dropIndex('runs_state').execute();
  await schema.createIndex('runs_state').on('runs').columns(['state', 'campaign', 'seq']).execute();
  for (const name of ['failures', 'reseeded']) {
    await schema
      .alterTable('runs')
      .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  }
}

/**
 * Stores when each file was put into the store. `foray gc` uses this time to distinguish an unused file from a file
 * that a campaign is about to refer to.
 */
async function files(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('files')
    .addColumn('put_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}

/** A column for large outputs, compressed. Existing rows stay as they are. */
async function packed(db: Kysely<unknown>, { bytes }: ColumnTypes): Promise<void> {
  await db.schema.alterTable('outputs').addColumn('packed', bytes).execute();
}

/** Output files that campaigns keep, and output files that they should keep but do not have. */
async function keptFiles(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('kept_files')
    .addColumn('campaign', 'integer', (column) => column.notNull().references('campaigns.number'))
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('file', 'text', (column) => column.references('files.hash'))
    .addColumn('lack', 'text')
    .addPrimaryKeyConstraint('kept_files_pk', ['campaign', 'hash'])
    .execute();
  await db.schema.createIndex('kept_files_file').on('kept_files').column('file').execute();
  // usually few files are missing; with this index, a count of them does not read the other files
  await sql`create index kept_files_lack on kept_files (campaign, lack) where lack is not null`.execute(db);
}

/** How precise each point is, for campaigns that replicate points until they are precise. */
async function verdicts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('points').addColumn('verdict', 'text').execute();
  await db.schema.alterTable('points').addColumn('expected', 'integer').execute();
}

/** Logs of failed runs, for some runs of each cause. */
async function runLogs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('run_logs')
    .addColumn('campaign', 'integer', (column) => column.notNull().references('campaigns.number'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('cause', 'text', (column) => column.notNull())
    .addColumn('lines', 'text', (column) => column.notNull())
    .addColumn('omitted', 'integer', (column) => column.notNull())
    .addColumn('command', 'text')
    .addColumn('kept_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('run_logs_pk', ['campaign', 'seq'])
    .execute();
}

/**
 * A campaign may continue with another version of its model, and with its service at another address. The store keeps a
 * few earlier failed attempts of each run.
 */
async function versions(db: Kysely<unknown>): Promise<void> {
  const schema = db.schema;
  await schema.alterTable('campaigns').addColumn('service_id', 'text').execute();
  await schema.alterTable('campaigns').addColumn('versions', 'text').execute();
  await schema.alterTable('runs').addColumn('version', 'integer').execute();
  await schema
    .createTable('failed_attempts')
    .addColumn('campaign', 'integer', (column) => column.notNull().references('campaigns.number'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('failed_at', 'bigint', (column) => column.notNull())
    .addColumn('version', 'integer')
    .addColumn('reason', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('failed_attempts_pk', ['campaign', 'seq', 'failed_at'])
    .execute();
}

/** The log of a search: the points that it asked for, their values, and its decisions. */
async function search(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('asks')
    .addColumn('campaign', 'integer', (column) => column.notNull().references('campaigns.number'))
    .addColumn('ask', 'integer', (column) => column.notNull())
    .addColumn('ordinal', 'integer')
    .addColumn('values', 'text', (column) => column.notNull())
    .addColumn('by', 'text', (column) => column.notNull())
    .addColumn('seen', 'integer', (column) => column.notNull())
    .addColumn('told', 'text')
    .addPrimaryKeyConstraint('asks_pk', ['campaign', 'ask'])
    .execute();
  await db.schema
    .createTable('search_events')
    .addColumn('campaign', 'integer', (column) => column.notNull().references('campaigns.number'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('event', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('search_events_pk', ['campaign', 'number'])
    .execute();
}

/** Runs at the service that campaigns of this store have stopped, or were about to stop. */
async function stoppedRuns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('stopped_runs')
    .addColumn('campaign', 'integer', (column) => column.notNull().references('campaigns.number'))
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('stopped_runs_pk', ['run_id', 'campaign'])
    .execute();
}

/** The rounds of a growing design so far, and the widest interval of each round. */
async function rounds(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('campaigns').addColumn('rounds', 'text').execute();
}

/** Stored numbers of runs. Earlier versions of foray counted the runs each time. */
async function counts(db: Kysely<unknown>): Promise<void> {
  const columns = ['waiting', 'queued', 'running', 'failed', 'new', 'reused'];
  let table = db.schema
    .createTable('run_counts')
    .addColumn('campaign', 'integer', (column) => column.primaryKey().references('campaigns.number'));
  for (const name of columns)
    table = table.addColumn(name, 'integer', (column) => column.notNull().defaultTo(0));
  await table.execute();
  await sql`
    insert into run_counts (campaign, waiting, queued, running, failed, "new", reused)
    select campaign, sum(case when state in ('waiting', 'intended') then 1 else 0 end),
      sum(case when state = 'queued' then 1 else 0 end), sum(case when state = 'running' then 1 else 0 end),
      sum(case when state = 'failed' then 1 else 0 end),
      sum(case when state = 'done' and origin = 'new' then 1 else 0 end),
      sum(case when state = 'done' and origin = 'reused' then 1 else 0 end)
    from runs group by campaign`.execute(db);
}

/** The owner who submitted a campaign; unknown for earlier campaigns. */
async function owner(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('campaigns').addColumn('owner', 'text').execute();
}

/** How often the design of a campaign has each point. */
async function draws(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('points')
    .addColumn('draws', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
}
