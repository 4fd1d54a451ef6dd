import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Dialect, Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { ForayError, messageOf } from '../errors.ts';
import { type ColumnTypes, migrationsFor, postgresTypes, sqliteTypes } from './migrations.ts';
import { SqlStore } from './sql-store.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/** How long a store is tried to open while other processes are at it, ms. */
const PATIENCE = 20_000;
/** What a database says to a process when another one was faster. */
const BEATEN = /database.* is locked|(table|index|relation) .* already exists|pg_type_typname_nsp_index/i;

/** Where a store is and how it is spoken to. */
interface Database {
  /** For people: it holds no secret. */
  shown: string;
  types: ColumnTypes;
  dialect: () => Dialect | Promise<Dialect>;
}

/**
 * Opens a store and brings its tables up to date.
 *
 * @param address `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`
 * @throws ForayError STORE_UNUSABLE, STORE_NEWER, STORE_UNREACHABLE
 */
export async function openStore(address: string): Promise<Store> {
  const { shown, types, dialect } = databaseAt(address);
  let db: Kysely<Tables> | undefined;
  try {
    const opened = await patiently(async () => new Kysely<Tables>({ dialect: await dialect() }));
    db = opened;
    await patiently(() => migrate(opened, types, shown));
    const { value } = await db
      .selectFrom('meta')
      .select('value')
      .where('name', '=', 'id')
      .executeTakeFirstOrThrow();
    return new SqlStore(db, value);
  } catch (error) {
    await db?.destroy();
    if (error instanceof ForayError) throw error;
    throw new ForayError('STORE_UNUSABLE', `The store ${shown} cannot be opened: ${messageOf(error)}.`, {
      hint: 'Check its address and permissions, or name another store with --store or FORAY_STORE.',
    });
  }
}

function databaseAt(address: string): Database {
  const path = /^sqlite:(.+)$/.exec(address)?.[1];
  if (path !== undefined) {
    const shown = path === ':memory:' ? path : resolve(path);
    return { shown, types: sqliteTypes, dialect: () => sqliteDialect(shown) };
  }
  if (/^postgres(ql)?:\/\//.test(address) && URL.canParse(address)) {
    const { protocol, host, pathname } = new URL(address);
    const shown = `${protocol}//${host}${pathname}`;
    const dialect = async (): Promise<Dialect> => {
      // most have no PostgreSQL, and start the faster
      const { postgresDialect } = await import('./postgres.ts');
      return postgresDialect(address, shown);
    };
    return { shown, types: postgresTypes, dialect };
  }
  const said = address.replace(/\/\/.*@/, '//…@');
  throw new ForayError('STORE_UNUSABLE', `The store address "${said}" is not known.`, {
    hint: 'Write sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE.',
  });
}

async function migrate(db: Kysely<Tables>, types: ColumnTypes, shown: string): Promise<void> {
  const getMigrations = () => Promise.resolve(migrationsFor(types));
  const migrator = new Migrator({ db, provider: { getMigrations } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (/previously executed migration .* is missing/.test(messageOf(error))) {
    throw new ForayError('STORE_NEWER', `The store ${shown} was written by a newer foray.`, {
      hint: 'Update foray.',
    });
  }
  throw error as Error;
}

/**
 * SQLite has no lock for migrations, and waits for no other when it changes its journal: of two processes that start
 * at once, one has to look again.
 */
async function patiently<T>(act: () => T | Promise<T>): Promise<T> {
  const until = Date.now() + PATIENCE;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (Date.now() > until || !BEATEN.test(messageOf(error))) throw error;
      await delay(Math.min(1_000, 50 * attempt));
    }
  }
}
