import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { ForayError, messageOf } from '../errors.ts';
import { migrations } from './migrations.ts';
import { SqlStore } from './sql-store.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/** How long a store is tried to open while other processes are at it, ms. */
const PATIENCE = 20_000;
/** What SQLite says to a process when another one was faster. */
const BEATEN = /database.* is locked|(table|index) .* already exists/i;

/**
 * Opens a store and brings its tables up to date.
 *
 * @param address `sqlite:PATH`
 * @throws ForayError STORE_UNUSABLE, STORE_NEWER
 */
export async function openStore(address: string): Promise<Store> {
  const match = /^sqlite:(.+)$/.exec(address);
  if (!match) {
    throw new ForayError(
      'STORE_UNUSABLE',
      `The store address "${address.replace(/\/\/.*@/, '//…@')}" is not known.`,
      {
        hint: 'Write sqlite:PATH.',
      },
    );
  }
  const path = match[1] === ':memory:' ? ':memory:' : resolve(match[1]!);
  let db: Kysely<Tables> | undefined;
  try {
    const opened = await patiently(() => new Kysely<Tables>({ dialect: sqliteDialect(path) }));
    db = opened;
    await patiently(() => migrate(opened));
    const { value } = await db
      .selectFrom('meta')
      .select('value')
      .where('name', '=', 'id')
      .executeTakeFirstOrThrow();
    return new SqlStore(db, value);
  } catch (error) {
    await db?.destroy();
    if (error instanceof ForayError) throw error;
    throw new ForayError('STORE_UNUSABLE', `The store ${path} cannot be opened: ${messageOf(error)}.`, {
      hint: 'Check the path and its permissions, or name another store with --store or FORAY_STORE.',
    });
  }
}

async function migrate(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (/previously executed migration .* is missing/.test(messageOf(error))) {
    throw new ForayError('STORE_NEWER', 'The store was written by a newer foray.', {
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
