import { CompiledQuery, type DatabaseConnection, type Dialect, type Driver } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { ForayError } from '../errors.ts';

/** The shortest time between two checks of an open store, ms. */
const EVERY = 1_000;
const NEWEST = CompiledQuery.raw(`select name from ${DEFAULT_MIGRATION_TABLE} order by name desc limit 1`);

/**
 * Detects that a newer foray has changed the tables of an open store. This foray then no longer knows the tables, so it
 * must neither read nor write them. The same holds for a file that was removed or replaced.
 */
export class NewerCheck {
  readonly #known: ReadonlySet<string>;
  readonly #shown: string;
  /** The time of the last check. Infinity: there are no checks yet. */
  #checkedAt = Infinity;
  #whyLost: () => ForayError | undefined = () => undefined;

  /**
   * @param known - the names of the migrations that this foray has
   * @param shown - the address of the store, without a password
   */
  constructor(known: readonly string[], shown: string) {
    this.#known = new Set(known);
    this.#shown = shown;
  }

  /**
   * Begins the checks. Before that, the store may have no tables.
   *
   * @param whyLost - why the file of the store must not be used any more; undefined if it may be used
   */
  start(whyLost: () => ForayError | undefined): void {
    this.#checkedAt = performance.now();
    this.#whyLost = whyLost;
  }

  /** Returns a dialect that checks the store before a connection is used, at most once a second. */
  on(dialect: Dialect): Dialect {
    return {
      createDriver: () => this.#checkedDriver(dialect.createDriver()),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (db) => dialect.createIntrospector(db),
    };
  }

  #checkedDriver(driver: Driver): Driver {
    const acquire = driver.acquireConnection.bind(driver);
    const release = driver.releaseConnection.bind(driver);
    driver.acquireConnection = async (...options) => {
      const connection = await acquire(...options);
      try {
        await this.#check(connection);
        return connection;
      } catch (error) {
        return new RefusingConnection(connection, error as Error);
      }
    };
    driver.releaseConnection = (connection, ...options) =>
      release(connection instanceof RefusingConnection ? connection.inner : connection, ...options);
    return driver;
  }

  /** @throws ForayError STORE_LOST, STORE_NEWER, STORE_UNREACHABLE */
  async #check(connection: DatabaseConnection): Promise<void> {
    const lost = this.#whyLost();
    if (lost) throw lost;
    if (performance.now() - this.#checkedAt < EVERY) return;
    const { rows } = await connection.executeQuery<{ name: string }>(NEWEST);
    if (!rows.every(({ name }) => this.#known.has(name))) {
      throw new ForayError('STORE_NEWER', `A newer foray has changed the store ${this.#shown}.`, {
        hint: 'Stop this foray, and start the newer one. Nothing is lost.',
      });
    }
    this.#checkedAt = performance.now();
  }
}

/**
 * A connection on which every query fails with an error. It is needed because Kysely has only one connection to SQLite,
 * and never frees this connection if acquiring it fails.
 */
class RefusingConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #error: Error;

  constructor(inner: DatabaseConnection, error: Error) {
    this.inner = inner;
    this.#error = error;
  }

  executeQuery(): Promise<never> {
    return Promise.reject(this.#error);
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    await this.executeQuery();
  }
}
