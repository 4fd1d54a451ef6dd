import type { Database } from '../database/database.ts';
import type { Holders, OpenService } from './holders.ts';
import type { Progress } from './progress.ts';

const statements = {
  note: `INSERT INTO progress (service, shares) VALUES (?, ?)
    ON CONFLICT (service) DO UPDATE SET shares = excluded.shares`,
  forget: 'DELETE FROM progress WHERE service = ?',
};

/** Sends the progress of runs to the other services of the database, and receives the progress that they know. */
export class SharedProgress {
  readonly #sql: Database;
  readonly #progress: Progress;
  readonly #holders: Holders;
  #written = '{}';

  constructor(sql: Database, progress: Progress, holders: Holders) {
    this.#sql = sql;
    this.#progress = progress;
    this.#holders = holders;
  }

  /**
   * Writes the progress that this service knows, and notes the progress that the others know.
   *
   * @param service - the id of this service
   * @param services - all services, with the progress of runs that each knows
   */
  async exchange(service: string, services: readonly OpenService[]): Promise<void> {
    await this.#dropEnded();
    const shares = JSON.stringify(Object.fromEntries(this.#progress.known()));
    if (shares !== this.#written) await this.#sql.all(statements.note, service, shares);
    this.#written = shares;
    const others = services.filter(({ id }) => id !== service);
    this.#progress.noteElsewhere(new Map(others.flatMap(({ shares }) => Object.entries(shares))));
  }

  /** Removes the shares of a service that has ended or is lost. */
  async forget(service: string): Promise<void> {
    await this.#sql.all(statements.forget, service);
  }

  /** Drops the shares of runs that have ended: another service may have received the end. */
  async #dropEnded(): Promise<void> {
    const known = [...this.#progress.known().keys()];
    if (known.length === 0) return;
    const running = new Set(await this.#holders.running(known));
    for (const runId of known) if (!running.has(runId)) this.#progress.end(runId);
  }
}
