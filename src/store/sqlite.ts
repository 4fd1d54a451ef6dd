import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import {
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';

/** Statements that are kept prepared: those of a tick are the same each time. */
const STATEMENTS = 100;

/** SQLite can undo changes of tables, so that a migration is carried out whole or not at all; Kysely does not count on it. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** SQLite ends a transaction by itself when the disk is full: a rollback would fail, and hide the error that says so. */
class Driver extends SqliteDriver {
  readonly #database: DatabaseSync;

  constructor(config: SqliteDialectConfig, database: DatabaseSync) {
    super(config);
    this.#database = database;
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
  }
}

class NodeSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;
  readonly #database: DatabaseSync;

  constructor(config: SqliteDialectConfig, database: DatabaseSync) {
    super(config);
    this.#config = config;
    this.#database = database;
  }

  override createDriver(): Driver {
    return new Driver(this.#config, this.#database);
  }

  override createAdapter(): Adapter {
    return new Adapter();
  }
}

/**
 * Kysely's SQLite dialect over node:sqlite. WAL lets the command line read while a worker writes; NORMAL keeps every
 * commit over a kill -9, though not over a power cut. Writers wait for each other for up to ten seconds.
 */
export function sqliteDialect(path: string): Dialect {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: 10_000 });
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on');
  } catch (error) {
    database.close();
    throw error;
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
        if (statements.size === STATEMENTS) statements.delete(statements.keys().next().value!);
        statements.set(text, prepared);
        return prepared;
      },
      close: () => database.close(),
    },
  };
  return new NodeSqliteDialect(config, database);
}

/**
 * A row as an object; those that node:sqlite makes have no prototype, and are slow to read. A class for the reason that
 * `Result` is one.
 */
class Row {
  [name: string]: SQLOutputValue;

  constructor(names: readonly string[], cells: readonly SQLOutputValue[]) {
    for (let at = 0; at < names.length; at++) this[names[at]!] = cells[at]!;
  }
}
