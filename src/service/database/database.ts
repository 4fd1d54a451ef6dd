export type SqlValue = string | number | null;

export interface Sql {
  /**
   * Executes a statement, and returns its rows. Each `?` in its text stands for the next of the values.
   *
   * @param Row - the columns that the statement returns
   */
  all<Row extends object>(text: string, ...values: SqlValue[]): Promise<Row[]>;
}

/** The parts of statements that differ between SQLite and PostgreSQL. Both databases understand all other text. */
export interface Dialect {
  /**
   * An expression for a table with the columns `key` (from 0) and `value`. Its rows are the elements of a JSON array of
   * texts or numbers. The array is the value of its `?`.
   */
  list: string;
  /** Ends a subquery that takes rows. Rows that another transaction is taking are skipped. */
  skipLocked: string;
  /** Ends a query of rows that must not change before the transaction ends. */
  forShare: string;
  /**
   * Ends a query of rows that no other transaction may change or lock before the transaction ends. It is empty if there
   * is only one transaction at a time.
   */
  forUpdate: string;
  /**
   * Makes a statement that locks a table until the transaction ends. Other transactions that execute this statement or
   * change the table wait. The result is undefined if there is only one transaction at a time.
   */
  lockTable: (table: string) => string | undefined;
  /**
   * Makes an expression that tells whether a service is connected to the database, from an expression for its id. It is
   * undefined if only one service can use the database.
   */
  isConnected?: (id: string) => string;
}

export interface Database extends Sql {
  readonly dialect: Dialect;
  /** Whether other processes may change the database, too. */
  readonly isShared: boolean;
  /**
   * Runs frequent statements. The database keeps their plans, because planning them takes about as long as executing
   * them. So the best plan of such a statement must not depend on the content of the tables.
   */
  readonly planned: Sql;
  /**
   * Makes changes in one transaction. `change` must run all its statements through the given `Sql`. It must not wait
   * for anything else, because other statements may have to wait for it. After a deadlock, it is called again.
   */
  atomically<T>(change: (sql: Sql) => Promise<T>): Promise<T>;
}
