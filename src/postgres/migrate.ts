import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { ForayError, messageOf } from '../errors.ts';
import type { Place } from './place.ts';

/** How long {@link patiently} repeats an action, ms. */
const RETRY_FOR = 20_000;
/** Messages of SQLite and PostgreSQL when another process was faster. The last name is the index of PostgreSQL's types. */
const BEATEN = /database.* is locked|(table|index|relation) .* already exists|pg_type_typname_nsp_index/i;

/**
 * Brings the tables of a database up to date.
 *
 * @param migrations - all migrations of this program, forward only, in the order of their names
 * @throws ForayError STORE_NEWER if the database has migrations that this program does not know
 */
export async function migrate<Tables>(
  db: Kysely<Tables>,
  migrations: Record<string, Migration>,
  { name, shown }: Place,
): Promise<void> {
  const { error } = await migratorOf(db, migrations).migrateToLatest();
  if (error === undefined) return;
  if (/previously executed migration .* is missing/.test(messageOf(error))) {
    throw new ForayError('STORE_NEWER', `${name} ${shown} was written by a newer foray.`, {
      hint: 'Update foray.',
    });
  }
  throw error as Error;
}

/** Counts the migrations that a database has. It does not change the database. */
export async function countMigrations<Tables>(
  db: Kysely<Tables>,
  migrations: Record<string, Migration>,
): Promise<number> {
  const known = await migratorOf(db, migrations).getMigrations();
  return known.filter(({ executedAt }) => executedAt !== undefined).length;
}

function migratorOf<Tables>(db: Kysely<Tables>, migrations: Record<string, Migration>): Migrator {
  return new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
}

/**
 * Repeats an action while other processes lock the database. SQLite has no lock for migrations and does not wait when
 * it changes its journal mode. So when two processes start at the same time, one process has to try again.
 */
export async function patiently<T>(act: () => T | Promise<T>): Promise<T> {
  const until = Date.now() + RETRY_FOR;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (Date.now() > until || !BEATEN.test(messageOf(error))) throw error;
      await delay(Math.min(1_000, 50 * attempt));
    }
  }
}
