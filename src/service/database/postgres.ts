import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { ForayError, messageOf } from '../../errors.ts';
import { postgresDialect } from '../../postgres/dialect.ts';
import { countMigrations, migrate } from '../../postgres/migrate.ts';
import { silenceOf } from '../../postgres/silence.ts';
import { type Place, shownPostgres, withoutSecret } from '../../postgres/place.ts';
import type { Database, Dialect, Sql, SqlValue } from './database.ts';
import type { ServiceDatabase } from './open.ts';
import { postgresMigrations } from './postgres-migrations.ts';
import { isHeld, Presence } from './presence.ts';

/**
 * If two transactions wait for each other, PostgreSQL fails one of them with this code. The failed transaction begins
 * again.
 */
const DEADLOCK = '40P01';

/** The longest time that a service waits until older services have ended and the tables can be updated, ms. */
const OLDER_SERVICES_TIMEOUT = 10_000;
/** The time between two attempts to update older tables, ms. */
const ATTEMPT_INTERVAL = 100;

/**
 * Opens the database of a service in PostgreSQL, and updates its tables. Several services may use it.
 *
 * @param address - `postgres://USER:PASSWORD@HOST:PORT/DATABASE`
 * @param texts - the migrations of the database, by name
 * @throws ForayError STORE_UNUSABLE, STORE_NEWER, STORE_UNREACHABLE
 */
export async function openPostgres(
  address: string,
  texts = postgresMigrations,
): Promise<Required<ServiceDatabase>> {
  const place = placeOf(address);
  const db = new Kysely<unknown>({ dialect: postgresDialect(address, place, (text) => planNames.get(text)) });
  const sql = new PostgresDatabase(db);
  let peers: Presence | undefined;
  const close = async (): Promise<void> => {
    await peers?.close();
    await db.destroy();
  };
  try {
    peers = await Presence.open(address, place, sql);
    await bringUpToDate(db, peers, kyselyMigrations(texts), place);
  } catch (error) {
    await close();
    if (error instanceof ForayError) throw error;
    throw new ForayError(
      'STORE_UNUSABLE',
      `The database ${place.shown} cannot be used: ${messageOf(error)}.`,
      { hint: 'Check the user, the password and the database in --database.' },
    );
  }
  return { sql, peers, whyLost: silenceOf(() => sql.all('SELECT 1'), place), close };
}

/** Changes older tables only while no other service uses them. */
async function bringUpToDate(
  db: Kysely<unknown>,
  peers: Presence,
  migrations: Record<string, Migration>,
  place: Place,
): Promise<void> {
  const isOld = async () => (await countMigrations(db, migrations)) < Object.keys(migrations).length;
  for (const until = Date.now() + OLDER_SERVICES_TIMEOUT; await isOld(); await pause(ATTEMPT_INTERVAL)) {
    if (await peers.alone(() => migrate(db, migrations, place))) return;
    if (Date.now() < until) continue;
    throw new ForayError(
      'STORE_UNUSABLE',
      `The tables of ${place.shown} belong to an older foray, whose services still run.`,
      { hint: 'Stop all services of this database, then start this one: it brings the tables up to date.' },
    );
  }
  // this refuses tables of a newer foray
  await migrate(db, migrations, place);
}

function placeOf(address: string): Place {
  const shown = shownPostgres(address);
  if (shown !== undefined) return { name: 'The database', shown, setBy: '--database' };
  throw new ForayError('STORE_UNUSABLE', `Unknown database address "${withoutSecret(address)}".`, {
    hint: 'Write postgres://USER:PASSWORD@HOST/DATABASE.',
  });
}

function kyselyMigrations(texts: Record<string, string>): Record<string, Migration> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]): [string, Migration] => [
      name,
      { up: async (db) => void (await db.executeQuery(CompiledQuery.raw(text))) },
    ]),
  );
}

/**
 * A database in PostgreSQL. Each statement of a transaction sees the changes that other transactions have committed
 * before the statement.
 */
class PostgresDatabase implements Database {
  readonly dialect: Dialect = {
    list: `(SELECT ordinality - 1 AS key, value
      FROM json_array_elements_text(CAST(? AS JSON)) WITH ORDINALITY AS element (value, ordinality))`,
    skipLocked: 'FOR UPDATE SKIP LOCKED',
    forShare: 'FOR SHARE',
    forUpdate: 'FOR UPDATE',
    lockTable: (table) => `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`,
    isConnected: isHeld,
  };
  readonly isShared = true;
  readonly planned: Sql = {
    all: (text, ...values) => {
      const statement = numberedText(text);
      if (!planNames.has(statement)) planNames.set(statement, `planned_${planNames.size}`);
      return this.all(text, ...values);
    },
  };
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

/** Maps each statement with `?` to the same statement with $1, $2 and so on, as PostgreSQL writes it. */
const numbered = new Map<string, string>();
/** The names of the statements whose plans the database keeps, by their numbered text. */
const planNames = new Map<string, string>();

function numberedText(text: string): string {
  let statement = numbered.get(text);
  if (statement === undefined) {
    let number = 0;
    statement = text.replaceAll('?', () => `$${(number += 1)}`);
    numbered.set(text, statement);
  }
  return statement;
}

async function run<Row>(db: Kysely<unknown>, text: string, values: readonly SqlValue[]): Promise<Row[]> {
  return (await db.executeQuery<Row>(CompiledQuery.raw(numberedText(text), [...values]))).rows;
}
