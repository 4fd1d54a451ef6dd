/** A value in a statement. */
export type SqlValue = string | number | null;

/** Runs statements. */
export interface Sql {
  /**
   * The rows of a statement. In its text, `?` stands for each value.
   *
   * @param Row - the columns that it returns
   */
  all<Row extends object>(text: string, ...values: SqlValue[]): Promise<Row[]>;
}

/**
 * The words in which databases differ. All other text of statements is understood by SQLite and PostgreSQL alike.
 */
export interface Dialect {
  /** A table with the columns `key` (from 0) and `value`: the elements of a JSON array of texts or numbers, given for its `?`. */
  list: string;
  /** Ends a subquery that takes rows: rows that another transaction is taking are passed over. */
  skipLocked: string;
  /** Ends a query of rows that must not change before the transaction ends. */
  forShare: string;
  /** Ends a query of rows that no other transaction may change or hold, before the transaction ends. Empty where there is only one at a time. */
  forUpdate: string;
  /** A statement after which no other transaction has passed the same one, until this ends; undefined where there is only one at a time. */
  lockTable: (table: string) => string | undefined;
}

/** The database of a service. */
export interface Database extends Sql {
  readonly dialect: Dialect;
  /** Whether other processes may change it as well. */
  readonly isShared: boolean;
  /**
   * For frequent statements, whose planning would cost as much as their execution. Each is planned once, so its best plan must
   * not depend on the content of the tables.
   */
  readonly planned: Sql;
  /**
   * Makes changes in one transaction. `change` must run all its statements by the given `Sql`, and wait for nothing
   * else: other statements may have to wait for it.
   */
  atomically<T>(change: (sql: Sql) => Promise<T>): Promise<T>;
}
