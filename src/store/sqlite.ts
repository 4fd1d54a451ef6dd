import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type Dialect, SqliteAdapter, SqliteDialect, type SqliteStatement } from 'kysely';

/** Statements that are kept prepared: those of a tick are the same each time. */
const STATEMENTS = 100;

/** SQLite can undo changes of tables, so that a migration is carried out whole or not at all; Kysely does not count on it. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDialect extends SqliteDialect {
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
  return new NodeSqliteDialect({
    database: {
      prepare(text) {
        const known = statements.get(text);
        if (known) return known;
        const statement = database.prepare(text);
        const args = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];
        const prepared: SqliteStatement = {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...args(parameters)),
          run: (parameters) => statement.run(...args(parameters)),
          iterate: (parameters) => statement.iterate(...args(parameters)),
        };
        if (statements.size === STATEMENTS) statements.delete(statements.keys().next().value!);
        statements.set(text, prepared);
        return prepared;
      },
      close: () => database.close(),
    },
  });
}
