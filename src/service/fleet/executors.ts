import type { ListedExecutor } from '../../api/extensions.ts';
import { version } from '../../package/own-version.ts';
import { ServiceError } from '../errors.ts';
import type { Database } from '../database/database.ts';
import type { Hello } from './protocol.ts';

/** How long after its last report the list shows an executor as gone, in milliseconds. No run depends on this. */
const GONE_AFTER = 30_000;
/** How long an executor that is gone stays in the list, in milliseconds. */
const FORGOTTEN_AFTER = 24 * 60 * 60_000;

const statements = {
  note: `INSERT INTO executors (name, about, seen_at) VALUES (?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET about = excluded.about, seen_at = excluded.seen_at`,
  named: 'SELECT about, seen_at FROM executors WHERE name = ?',
  remove: 'DELETE FROM executors WHERE name = ?',
  forget: 'DELETE FROM executors WHERE seen_at < ?',
  list: 'SELECT name, about, seen_at FROM executors WHERE seen_at >= ? ORDER BY name',
};

type Row = Record<'name' | 'about' | 'seen_at', string>;

/** The connected executors of this build. Any replica of the service may have received their reports. */
export interface PresentExecutors {
  /** Executors that take runs. */
  able: ListedExecutor[];
  /** Executors that claim no runs. */
  faulty: ListedExecutor[];
}

/** The executors on other machines, with their last reports. */
export class Executors {
  readonly #sql: Database;
  readonly #now: () => number;

  constructor(sql: Database, now: () => number) {
    this.#sql = sql;
    this.#now = now;
  }

  /** @throws ServiceError OTHER_BUILD for another version of foray; NAME_TAKEN if a later executor has the name */
  async note(name: string, hello: Hello): Promise<void> {
    // of two executors with the same name, the earlier one is refused, so after a crash a new one can start immediately
    if (Date.parse(hello.since) < (await this.#startOf(name))) {
      throw new ServiceError(
        'NAME_TAKEN',
        `Another executor that was started later has the name "${name}": give each executor its own --name.`,
      );
    }
    const otherBuild =
      hello.build === version
        ? undefined
        : `foray ${hello.build}, and the service is foray ${version}: install the same version`;
    const problem = otherBuild === undefined ? hello.problem : `it is ${otherBuild}`;
    const seen = new Date(this.#now()).toISOString();
    await this.#sql.all(statements.note, name, JSON.stringify({ ...hello, problem }), seen);
    if (otherBuild !== undefined) throw new ServiceError('OTHER_BUILD', `The executor is ${otherBuild}.`);
  }

  /** The time when the connected executor with this name was started, ms since 1970; -Infinity if there is none. */
  async #startOf(name: string): Promise<number> {
    const [row] = await this.#sql.all<Pick<Row, 'about' | 'seen_at'>>(statements.named, name);
    if (!row || !this.#isThere(row.seen_at)) return -Infinity;
    return Date.parse((JSON.parse(row.about) as Hello).since);
  }

  #isThere(seenAt: string): boolean {
    return this.#now() - Date.parse(seenAt) < GONE_AFTER;
  }

  /** Removes executors whose last report is too old for the list. */
  async forget(): Promise<void> {
    await this.#sql.all(statements.forget, this.#oldest());
  }

  async remove(name: string): Promise<void> {
    await this.#sql.all(statements.remove, name);
  }

  /** All executors that reported in the last day and have not left, in the order of their names. */
  async list(): Promise<ListedExecutor[]> {
    const rows = await this.#sql.all<Row>(statements.list, this.#oldest());
    return rows.map(({ name, about, seen_at }) => {
      const hello = JSON.parse(about) as Hello;
      const isThere = this.#isThere(seen_at);
      const running = isThere ? hello.running : 0;
      return { name, ...hello, running, seen: seen_at, isThere };
    });
  }

  async present(): Promise<PresentExecutors> {
    const there = (await this.list()).filter(({ isThere, build }) => isThere && build === version);
    const { able = [], faulty = [] } = Object.groupBy(there, ({ problem }) =>
      problem === null ? 'able' : 'faulty',
    );
    return { able, faulty };
  }

  /** The time of the oldest report that still keeps an executor in the list. */
  #oldest(): string {
    return new Date(this.#now() - FORGOTTEN_AFTER).toISOString();
  }
}
