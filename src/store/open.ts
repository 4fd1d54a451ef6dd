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

/** How often a migration is tried when another process is at it. */
const MIGRATION_TRIES = 20;

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
    db = new Kysely<Tables>({ dialect: sqliteDialect(path) });
    await migrate(db);
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
  for (let attempt = 1; ; attempt += 1) {
    const { error } = await migrator.migrateToLatest();
    if (error === undefined) return;
    const text = messageOf(error);
    if (/previously executed migration .* is missing/.test(text)) {
      throw new ForayError('STORE_NEWER', 'The store was written by a newer foray.', {
        hint: 'Update foray.',
      });
    }
    // SQLite has no lock for migrations: of two processes that start at once, one has to look again.
    if (attempt === MIGRATION_TRIES || !/locked|busy|already exists/i.test(text)) throw error as Error;
    await delay(50 * attempt);
  }
}
