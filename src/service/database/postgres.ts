import { CompiledQuery, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { ForayError, messageOf } from '../../errors.ts';
import { postgresDialect } from '../../postgres/dialect.ts';
import { migrate, patiently } from '../../postgres/migrate.ts';
import { type Place, shownPostgres, withoutSecret } from '../../postgres/place.ts';
import type { Database, Dialect, Sql, SqlValue } from './database.ts';
import type { ServiceDatabase } from './open.ts';
import { postgresMigrations } from './postgres-migrations.ts';

/** Of two transactions that wait for each other, PostgreSQL fails one, which begins again. */
const DEADLOCK = '40P01';

/**
 * Opens the database of a service in PostgreSQL, and brings its tables up to date.
 *
 * @param address - `postgres://USER:PASSWORD@HOST:PORT/DATABASE`
 * @throws ForayError STORE_UNUSABLE, STORE_NEWER, STORE_UNREACHABLE
 */
export async function openPostgres(address: string): Promise<ServiceDatabase> {
  const place = placeOf(address);
  const db = new Kysely<unknown>({ dialect: postgresDialect(address, place) });
  try {
    await patiently(() => migrate(db, kyselyMigrations(), place));
  } catch (error) {
    await db.destroy();
    if (error instanceof ForayError) throw error;
    throw new ForayError(
      'STORE_UNUSABLE',
      `The database ${place.shown} cannot be used: ${messageOf(error)}.`,
      { hint: 'Check the user, the password and the database in --database.' },
    );
  }
  return { sql: new PostgresDatabase(db), close: () => db.destroy() };
}

function placeOf(address: string): Place {
  const shown = shownPostgres(address);
  if (shown !== undefined) return { name: 'The database', shown, setBy: '--database' };
  throw new ForayError('STORE_UNUSABLE', `Unknown database address "${withoutSecret(address)}".`, {
    hint: 'Write postgres://USER:PASSWORD@HOST/DATABASE.',
  });
}

function kyselyMigrations(): Record<string, Migration> {
  return Object.fromEntries(
    Object.entries(postgresMigrations).map(([name, text]): [string, Migration] => [
      name,
      { up: async (db) => void (await db.executeQuery(CompiledQuery.raw(text))) },
    ]),
  );
}

/** A database in PostgreSQL. Its transactions see what others have committed before each of their statements. */
class PostgresDatabase implements Database {
  readonly dialect: Dialect = {
    list: `(SELECT ordinality - 1 AS key, value
      FROM json_array_elements_text(CAST(? AS JSON)) WITH ORDINALITY AS element (value, ordinality))`,
    skipLocked: 'FOR UPDATE SKIP LOCKED',
    forShare: 'FOR SHARE',
    forUpdate: 'FOR UPDATE',
    lockTable: (table) => `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`,
  };
  readonly isShared = true;
  readonly #db: Kysely<unknown>;

  constructor(db: Kysely<unknown>) {
    this.#db = db;
  }

  all<Row extends object>(text: string, ...values: SqlValue[]): Promise<Row[]> {
    return run<Row>(this.#db, text, values);
  }

  async atomically<T>(change: (sql: Sql) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.#db
          .transaction()
          .execute((transaction) => change({ all: (text, ...values) => run(transaction, text, values) }));
      } catch (error) {
        if ((error as { code?: unknown }).code !== DEADLOCK) throw error;
      }
    }
  }
}

/** Statements as PostgreSQL writes them, by those of the repositories. */
const numbered = new Map<string, string>();

async function run<Row>(db: Kysely<unknown>, text: string, values: readonly SqlValue[]): Promise<Row[]> {
  let statement = numbered.get(text);
  if (statement === undefined) {
    let number = 0;
    statement = text.replaceAll('?', () => `$${(number += 1)}`);
    numbered.set(text, statement);
  }
  return (await db.executeQuery<Row>(CompiledQuery.raw(statement, [...values]))).rows;
}
