import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';
import { openSqlite, PATIENCE, rollBack } from '../system/sqlite.ts';
import { SQLITE_BUSY, sqliteCode } from '../system/sqlite-codes.ts';
import { sqliteFault } from './sqlite-fault.ts';

/** The maximum number of prepared statements that are cached. A worker uses the same statements again and again. */
const STATEMENTS = 100;
/** How long a statement holds its thread while another process writes, ms. Most writes are shorter. */
const HOLDS = 25;
/** The pause before such a statement is repeated, ms. */
const PAUSE = 50;
/** An extended code: see {@link isLocked}. */
const SQLITE_BUSY_SNAPSHOT = 517;

/**
 * SQLite can roll back changes of tables, so a migration runs completely or not at all. Kysely uses this only if an
 * adapter says so.
 */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class Driver extends SqliteDriver {
  readonly #database: DatabaseSync;
  readonly #path: string;

  constructor(config: SqliteDialectConfig, database: DatabaseSync, path: string) {
    super(config);
    this.#database = database;
    this.#path = path;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new PatientConnection(await super.acquireConnection(), this.#path);
  }

  override rollbackTransaction(): Promise<void> {
    return Promise.resolve(rollBack(this.#database));
  }
}

/**
 * Repeats a statement while another process writes. SQLite itself would hold the thread for all this time, and the
 * thread of a worker or a server has other work. In a transaction, only the first statement that writes meets the lock.
 */
class PatientConnection implements DatabaseConnection {
  readonly #inner: DatabaseConnection;
  readonly #path: string;

  constructor(inner: DatabaseConnection, path: string) {
    this.#inner = inner;
    this.#path = path;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const until = performance.now() + PATIENCE;
    for (;;) {
      try {
        return await this.#inner.executeQuery<R>(query);
      } catch (error) {
        if (!isLocked(error) || performance.now() > until) throw sqliteFault(this.#path, error);
      }
      await delay(PAUSE);
    }
  }

  streamQuery<R>(query: CompiledQuery, size: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#inner.streamQuery(query, size);
  }
}

/**
 * Whether another process has locked the file for a time. After BUSY_SNAPSHOT, the other process has written since this
 * transaction began to read, so the statement would fail again.
 */
function isLocked(error: unknown): boolean {
  return sqliteCode(error) === SQLITE_BUSY && (error as { errcode: number }).errcode !== SQLITE_BUSY_SNAPSHOT;
}

class NodeSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;
  readonly #database: DatabaseSync;
  readonly #path: string;

  constructor(config: SqliteDialectConfig, database: DatabaseSync, path: string) {
    super(config);
    this.#config = config;
    this.#database = database;
    this.#path = path;
  }

  override createDriver(): Driver {
    return new Driver(this.#config, this.#database, this.#path);
  }

  override createAdapter(): Adapter {
    return new Adapter();
  }
}

/** Kysely's SQLite dialect on node:sqlite. @throws ForayError STORE_LOST, STORE_UNUSABLE */
export function sqliteDialect(path: string): Dialect {
  let database: DatabaseSync;
  try {
    database = openSqlite(path, HOLDS);
  } catch (error) {
    throw sqliteFault(path, error);
  }
  const statements = new Map<string, SqliteStatement>();
  const config: SqliteDialectConfig = {
    database: {
      prepare(text) {
        const known = statements.get(text);
        if (known) return known;
        const statement = database.prepare(text);
        const args = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];
        const names = statement.columns().map(({ name }) => name);
        statement.setReturnArrays(true);
        const toRow = (cells: unknown): Row => new Row(names, cells as SQLOutputValue[]);
        const prepared: SqliteStatement = {
          reader: names.length > 0,
          all: (parameters) => statement.all(...args(parameters)).map(toRow),
          run: (parameters) => statement.run(...args(parameters)),
          iterate: (parameters) => statement.iterate(...args(parameters)).map(toRow),
        };
        // the statement that was added first
        if (statements.size === STATEMENTS) statements.delete(statements.keys().next().value!);
        statements.set(text, prepared);
        return prepared;
      },
      close: () => database.close(),
    },
  };
  return new NodeSqliteDialect(config, database, path);
}

/**
 * A row as an object, because the rows of node:sqlite have no prototype and are slow to read. It is a class for the
 * same reason as `Result` (results/read.ts).
 */
class Row {
  [name: string]: SQLOutputValue;

  constructor(names: readonly string[], cells: readonly SQLOutputValue[]) {
    for (let at = 0; at < names.length; at++) this[names[at]!] = cells[at]!;
  }
}
