import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import {
  type Dialect,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';
import { openSqlite, rollBack } from '../system/sqlite.ts';
import { sqliteFault } from './sqlite-fault.ts';

/** The maximum number of prepared statements that are cached. A worker uses the same statements again and again. */
const STATEMENTS = 100;

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

  constructor(config: SqliteDialectConfig, database: DatabaseSync) {
    super(config);
    this.#database = database;
  }

  override rollbackTransaction(): Promise<void> {
    return Promise.resolve(rollBack(this.#database));
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

/** Kysely's SQLite dialect on node:sqlite. */
export function sqliteDialect(path: string): Dialect {
  let database: DatabaseSync;
  try {
    database = openSqlite(path);
  } catch (error) {
    throw sqliteFault(path, error);
  }
  const explained = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      throw sqliteFault(path, error);
    }
  };
  const statements = new Map<string, SqliteStatement>();
  const config: SqliteDialectConfig = {
    database: {
      prepare(text) {
        const known = statements.get(text);
        if (known) return known;
        const statement = explained(() => database.prepare(text));
        const args = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];
        const names = statement.columns().map(({ name }) => name);
        statement.setReturnArrays(true);
        const toRow = (cells: unknown): Row => new Row(names, cells as SQLOutputValue[]);
        const prepared: SqliteStatement = {
          reader: names.length > 0,
          all: (parameters) => explained(() => statement.all(...args(parameters)).map(toRow)),
          run: (parameters) => explained(() => statement.run(...args(parameters))),
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
 * A row as an object, because the rows of node:sqlite have no prototype and are slow to read. It is a class for the
 * same reason as `Result` (results.ts).
 */
class Row {
  [name: string]: SQLOutputValue;

  constructor(names: readonly string[], cells: readonly SQLOutputValue[]) {
    for (let at = 0; at < names.length; at++) this[names[at]!] = cells[at]!;
  }
}
