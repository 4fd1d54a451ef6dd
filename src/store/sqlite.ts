import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type Dialect, SqliteDialect } from 'kysely';

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
  return new SqliteDialect({
    database: {
      prepare(text) {
        const statement = database.prepare(text);
        const args = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...args(parameters)),
          run: (parameters) => statement.run(...args(parameters)),
          iterate: (parameters) => statement.iterate(...args(parameters)),
        };
      },
      close: () => database.close(),
    },
  });
}
