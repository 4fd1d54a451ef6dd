import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { rollBack } from '../../system/sqlite.ts';
import type { Database, Dialect, Sql, SqlValue } from './database.ts';

/**
 * A database in SQLite. It has one connection, so all other statements wait while a transaction is open. Statements are
 * synchronous, so a transaction ends within one turn of the event loop.
 */
export class SqliteDatabase implements Database {
  readonly dialect: Dialect = {
    list: 'json_each(?)',
    skipLocked: '',
    forShare: '',
    forUpdate: '',
    lockTable: () => undefined,
  };
  readonly isShared = false;
  /** All statements are planned once. */
  readonly planned: Sql = this;
  readonly #db: DatabaseSync;
  readonly #whyLost: () => Error | undefined;
  readonly #statements = new Map<string, StatementSync>();
  readonly #inTransaction: Sql = { all: (text, ...values) => Promise.resolve(this.#run(text, values)) };
  /** Resolves when the open transaction has ended. */
  #open: Promise<void> | undefined;

  /** @param whyLost - why the file of the database must not be used any more; undefined if it may be used */
  constructor(db: DatabaseSync, whyLost: () => Error | undefined = () => undefined) {
    this.#db = db;
    this.#whyLost = whyLost;
  }

  async all<Row extends object>(text: string, ...values: SqlValue[]): Promise<Row[]> {
    while (this.#open) await this.#open;
    this.#refuseLost();
    return this.#run<Row>(text, values);
  }

  async atomically<T>(change: (sql: Sql) => Promise<T>): Promise<T> {
    while (this.#open) await this.#open;
    this.#refuseLost();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = promise;
    try {
      this.#db.exec('BEGIN');
      const result = await change(this.#inTransaction);
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      rollBack(this.#db);
      throw error;
    } finally {
      this.#open = undefined;
      resolve();
    }
  }

  #refuseLost(): void {
    const lost = this.#whyLost();
    if (lost) throw lost;
  }

  #run<Row extends object>(text: string, values: readonly SqlValue[]): Row[] {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    // `all` and not `get`: `get` does not run the commit, so nobody would notice that the commit fails on a full disk
    return statement.all(...values) as Row[];
  }
}
