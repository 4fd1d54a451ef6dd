import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Dialect, Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { ForayError, isForayError, messageOf } from '../errors.ts';
import { countMigrations, migrate, patiently } from '../postgres/migrate.ts';
import { type Place, shownPostgres, withoutSecret } from '../postgres/place.ts';
import { silenceOf } from '../postgres/silence.ts';
import { hasDatabase } from '../system/database-file.ts';
import { identityOf } from '../system/same-file.ts';
import { openSqlite } from '../system/sqlite.ts';
import { ALL_DELETED } from './deleted.ts';
import { type ColumnTypes, migrationsFor, postgresTypes, sqliteTypes } from './migrations.ts';
import { NewerCheck } from './newer.ts';
import { sqlStore, type Store } from './store.ts';
import { lossOf, sqliteFault } from './sqlite-fault.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

/** A lock that is held longer than this keeps campaigns from going on, ms. */
const LOCKED_MS = 3_000;
const IN_MEMORY = 'sqlite::memory:';

/**
 * What to do when the store does not exist yet: `make` it, `refuse` with an error, or use an empty store `in-memory`,
 * which is lost at the end of the process.
 */
export type WhenMissing = 'make' | 'refuse' | 'in-memory';

/** Where a store is, and how to connect to it. */
interface Database {
  /** The address for messages. It contains no secret. */
  shown: string;
  types: ColumnTypes;
  /** The path of the store's file; undefined without a file. */
  file: string | undefined;
  /** Whether the store may exist; false when the store's file does not exist. */
  mayBeThere: () => boolean;
  dialect: () => Dialect | Promise<Dialect>;
}

/**
 * Opens a store and brings its tables up to date. When a newer foray has changed the tables, the methods of the store
 * throw STORE_NEWER, at the latest after about a second. When its file is removed or replaced, they throw STORE_LOST.
 *
 * @param address `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`
 * @throws ForayError STORE_UNUSABLE, STORE_NEWER, STORE_LOST, STORE_UNREACHABLE; STORE_MISSING when `whenMissing` is
 *   `refuse`
 */
export async function openStore(address: string, whenMissing: WhenMissing = 'make'): Promise<Store> {
  const { shown, types, file, mayBeThere, dialect } = databaseAt(address);
  let db: Kysely<Tables> | undefined;
  try {
    if (whenMissing !== 'make' && !mayBeThere()) throw missing(shown);
    const migrations = migrationsFor(types);
    const newer = new NewerCheck(Object.keys(migrations), shown);
    const opened = await patiently(async () => new Kysely<Tables>({ dialect: newer.on(await dialect()) }));
    db = opened;
    const whyLost = file === undefined ? undefined : lossOf(file);
    await patiently(async () => {
      // a database without tables is no store yet
      if (whenMissing !== 'make' && (await countMigrations(opened, migrations)) === 0) throw missing(shown);
      await migrate(opened, migrations, placeOf(shown));
    });
    newer.start(whyLost ?? (() => undefined));
    const whyAway = whyLost ?? silenceOf(() => sql`select 1`.execute(opened), placeOf(shown));
    const { value: id } = await markOf(opened).executeTakeFirstOrThrow();
    return sqlStore(opened, id, whyAway);
  } catch (error) {
    await db?.destroy();
    if (isMissing(error) && whenMissing === 'in-memory') return openStore(IN_MEMORY);
    throw unusable(shown, error);
  }
}

/** A query for the id of a store. */
function markOf(db: Kysely<Tables>) {
  return db.selectFrom('meta').select('value').where('name', '=', 'id');
}

function unusable(shown: string, error: unknown): ForayError {
  if (error instanceof ForayError) return error;
  return new ForayError('STORE_UNUSABLE', `The store ${shown} cannot be opened: ${messageOf(error)}.`, {
    hint: 'Check its address and permissions, or choose another store with --store or FORAY_STORE.',
  });
}

/** The state of a store, read without changing it. */
export interface StoreState {
  /** The address of the store, without a password. */
  shown: string;
  schema: 'missing' | 'older' | 'current' | 'newer';
  /** The id of the store; null if its tables are missing. */
  id: string | null;
  /** The ids of the newest campaigns of the store, newest first, at most 1,000. */
  campaigns: string[];
}

/** The maximum number of campaigns that the state of a store lists. */
const MOST_CAMPAIGNS = 1_000;

/**
 * Reads the state of a store. It neither creates the store nor brings it up to date.
 * @throws ForayError STORE_UNREACHABLE, STORE_UNUSABLE, STORE_LOST
 */
export async function stateOfStore(address: string): Promise<StoreState> {
  const { shown, types, mayBeThere, dialect } = databaseAt(address);
  const none: StoreState = { shown, schema: 'missing', id: null, campaigns: [] };
  let db: Kysely<Tables> | undefined;
  try {
    if (!mayBeThere()) return none;
    db = new Kysely<Tables>({ dialect: await dialect() });
    const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
    if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return none;
    const migrations = sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`;
    const { rows } = await migrations.execute(db);
    const known = Object.keys(migrationsFor(types));
    const isNewer = rows.some(({ name }) => !known.includes(name));
    const schema = isNewer ? 'newer' : rows.length < known.length ? 'older' : 'current';
    const found = await db
      .selectFrom('campaigns')
      .select('id')
      .where('id', 'not like', ALL_DELETED)
      .orderBy('number', 'desc')
      .limit(MOST_CAMPAIGNS)
      .execute();
    const mark = await markOf(db).executeTakeFirst();
    return { shown, schema, id: mark?.value ?? null, campaigns: found.map(({ id }) => id) };
  } catch (error) {
    throw unusable(shown, error);
  } finally {
    await db?.destroy();
  }
}

/**
 * Checks that this process can write the store's file, if it has one, now or within `LOCKED_MS`.
 * @throws ForayError STORE_UNUSABLE if another process locks it, STORE_LOST
 */
export function checkWritable(address: string): void {
  const { file, shown } = databaseAt(address);
  if (file === undefined) return;
  let database: DatabaseSync | undefined;
  try {
    database = openSqlite(file, LOCKED_MS);
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
  } catch (error) {
    throw unusable(shown, sqliteFault(file, error));
  } finally {
    database?.close();
  }
}

/** What distinguishes the file of a store from all other files of this machine; undefined if the store has no file. */
export function fileOfStore(address: string): string | undefined {
  const { file } = databaseAt(address);
  return file === undefined ? undefined : identityOf(file);
}

/** The address of a store for messages, without a password. */
export function shownAddress(address: string): string {
  return databaseAt(address).shown;
}

function databaseAt(address: string): Database {
  const path = /^sqlite:(.+)$/.exec(address)?.[1];
  if (path !== undefined) {
    const shown = path === ':memory:' ? path : resolve(path);
    const mayBeThere = (): boolean => hasDatabase(shown);
    const file = shown === ':memory:' ? undefined : shown;
    return { shown, types: sqliteTypes, file, mayBeThere, dialect: () => sqliteDialect(shown) };
  }
  const shown = shownPostgres(address);
  if (shown !== undefined) {
    const dialect = async (): Promise<Dialect> => {
      // this module is loaded only when needed: most users have no PostgreSQL, and foray starts faster without it
      const { postgresDialect } = await import('../postgres/dialect.ts');
      return postgresDialect(address, placeOf(shown));
    };
    return { shown, types: postgresTypes, file: undefined, mayBeThere: () => true, dialect };
  }
  throw new ForayError('STORE_UNUSABLE', `Unknown store address "${withoutSecret(address)}".`, {
    hint: 'Write sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE.',
  });
}

function placeOf(shown: string): Place {
  return { name: 'The store', shown, setBy: '--store or FORAY_STORE' };
}

function missing(shown: string): ForayError {
  return new ForayError('STORE_MISSING', `There is no store at ${shown} yet.`, {
    hint: 'foray submit creates it. To use another store, set --store or FORAY_STORE.',
  });
}

function isMissing(error: unknown): boolean {
  return isForayError(error) && error.code === 'STORE_MISSING';
}
