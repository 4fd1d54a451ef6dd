import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { explained } from '../../postgres/dialect.ts';
import type { Place } from '../../postgres/place.ts';
import type { Database } from './database.ts';

const CHANNEL = 'foray_runs';
/**
 * The lock that all services of a database share. A service holds it exclusively while it changes the tables, and so
 * does a move while it copies into them.
 */
const TABLES = 'foray tables';
/**
 * The lock that services share when they have agreed on the settings. The first service holds it exclusively while it
 * sets them.
 */
const SETTINGS = 'foray settings';
/** The time from a request for a run to its announcement, ms. All runs that are requested meanwhile share it. */
const GATHER = 20;
/** The time to wait for a connection, ms. */
const CONNECT_TIMEOUT = 10_000;
/** The time between attempts to connect again, ms. Other services wait longer before they consider a service lost. */
const RECONNECT_INTERVAL = 500;
/** With these settings, the server finds within 20 s that the machine of a service is lost. */
const KEEPALIVES = ['idle=10', 'interval=5', 'count=2'].map((one) => `-c tcp_keepalives_${one}`).join(' ');

const statements = {
  /** A lock of the connection. The server releases it when the connection ends. */
  lockShared: 'SELECT pg_advisory_lock_shared(hashtextextended($1, 0))',
  unlockAll: 'SELECT pg_advisory_unlock_all()',
  tryLock: 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked',
  unlock: 'SELECT pg_advisory_unlock(hashtextextended($1, 0))',
  absent: (list: string) => `SELECT value AS id FROM ${list} AS given WHERE NOT ${isHeld('value')}`,
};

/** Makes an expression that tells whether any connection holds the lock of a key. The key is an expression, too. */
export function isHeld(key: string): string {
  return `EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (CAST(classid AS BIGINT) << 32) | CAST(objid AS BIGINT) = hashtextextended(${key}, 0))`;
}

/**
 * The connection by which the other services of a database know a service. It holds locks. The server releases them
 * when the connection ends, whatever the reason. When the connection breaks, a new one is made.
 */
export class Presence {
  readonly #address: string;
  readonly #place: Place;
  readonly #sql: Database;
  #client: pg.Client | undefined;
  /** The ids by which other services know this one. */
  #ids: readonly string[] = [];
  #hasAgreed = false;
  #notifying: NodeJS.Timeout | undefined;
  #onNotify: () => void = () => {};
  #isOpen = true;

  private constructor(address: string, place: Place, sql: Database) {
    this.#address = address;
    this.#place = place;
    this.#sql = sql;
  }

  /** @throws ForayError STORE_UNREACHABLE; Error of the server */
  static async open(address: string, place: Place, sql: Database): Promise<Presence> {
    const presence = new Presence(address, place, sql);
    await presence.#connect();
    return presence;
  }

  /**
   * Makes this service known by two ids while its process is connected: `holder`, and `folder`, the name of its own
   * folder. They replace earlier ids of the service.
   */
  async join(holder: string, folder: string): Promise<void> {
    this.#ids = [holder, folder];
    await this.#ask(statements.unlockAll);
    for (const key of this.#sharedLocks()) await this.#ask(statements.lockShared, key);
  }

  /** Returns the given ids that belong to no connected service. */
  absent(ids: readonly string[]): Promise<string[]> {
    return this.#sql
      .all<{ id: string }>(statements.absent(this.#sql.dialect.list), JSON.stringify(ids))
      .then((rows) => rows.map(({ id }) => id));
  }

  /** Tells the services that runs wait. The message goes out a little later, and may be lost. */
  notify(): void {
    this.#notifying ??= setTimeout(() => {
      this.#notifying = undefined;
      // the other services look for waiting runs if they get no message
      this.#ask(`NOTIFY ${CHANNEL}`).catch(() => {});
    }, GATHER);
  }

  /**
   * @param callback - called when a service (also this one) has announced waiting runs, or when such a message may have
   *   been lost
   */
  onNotify(callback: () => void): void {
    this.#onNotify = callback;
  }

  /**
   * Changes the database if no other service uses it. No other service can start meanwhile. Returns false, and changes
   * nothing, if another service uses the database.
   */
  async alone(change: () => Promise<void>): Promise<boolean> {
    if (!(await this.#tryLock(TABLES))) return false;
    try {
      await change();
    } finally {
      await this.#ask(statements.unlock, TABLES);
    }
    return true;
  }

  /**
   * Agrees with the other services on settings of the database. The first service sets them, and the others wait until
   * that is done. A service that starts when no other service is connected is the first again.
   */
  async agree(set: () => Promise<void>): Promise<void> {
    const isFirst = await this.#tryLock(SETTINGS);
    try {
      if (isFirst) await set();
      await this.#ask(statements.lockShared, SETTINGS);
      this.#hasAgreed = true;
    } finally {
      if (isFirst) await this.#ask(statements.unlock, SETTINGS);
    }
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    clearTimeout(this.#notifying);
    await this.#client?.end();
  }

  async #tryLock(key: string): Promise<boolean> {
    const { rows } = await this.#ask(statements.tryLock, key);
    return (rows[0] as { locked: boolean }).locked;
  }

  /**
   * The keys of the locks that this service shares with other services, and of the locks by which they know this
   * service. None before `join`.
   */
  #sharedLocks(): string[] {
    if (this.#ids.length === 0) return [];
    return [TABLES, ...(this.#hasAgreed ? [SETTINGS] : []), ...this.#ids];
  }

  async #ask(text: string, ...values: string[]): Promise<pg.QueryResult> {
    try {
      if (!this.#client) throw Object.assign(new Error('the connection is gone'), { code: 'ECONNRESET' });
      return await this.#client.query(text, values);
    } catch (error) {
      throw explained(error, this.#place);
    }
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#address,
      application_name: 'foray',
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      keepAlive: true,
      options: KEEPALIVES,
    });
    let isLost = false;
    const lose = (): void => {
      isLost = true;
      if (this.#client !== client) return;
      this.#client = undefined;
      void this.#reconnect();
    };
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', () => this.#onNotify());
    try {
      await client.connect();
      for (const key of this.#sharedLocks()) await client.query(statements.lockShared, [key]);
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      client.end().catch(() => {});
      throw explained(error, this.#place);
    }
    this.#client = client;
    if (isLost) lose();
  }

  async #reconnect(): Promise<void> {
    while (this.#isOpen) {
      try {
        await this.#connect();
        if (!this.#isOpen) await this.#client?.end();
        return this.#onNotify();
      } catch {
        await pause(RECONNECT_INTERVAL, undefined, { ref: false });
      }
    }
  }
}
