import type { Database } from '../database/database.ts';
import type { Holders } from './holders.ts';
import type { Progress } from './progress.ts';

const statements = {
  note: `INSERT INTO progress (service, shares) VALUES (?, ?)
    ON CONFLICT (service) DO UPDATE SET shares = excluded.shares`,
  others: 'SELECT shares FROM progress WHERE service <> ?',
  forget: 'DELETE FROM progress WHERE service = ?',
};

/** Sends the finished shares of runs to the other services of a database, and reads theirs. */
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

  /** @param service - the id of this service */
  async exchange(service: string): Promise<void> {
    const heard = this.#progress.heard();
    if (heard.size > 0) {
      // another service may have received their end
      const running = new Set(await this.#holders.running([...heard.keys()]));
      for (const runId of [...heard.keys()]) if (!running.has(runId)) this.#progress.end(runId);
    }
    const shares = JSON.stringify(Object.fromEntries(heard));
    if (shares !== this.#written) await this.#sql.all(statements.note, service, shares);
    this.#written = shares;
    const others = await this.#sql.all<{ shares: string }>(statements.others, service);
    this.#progress.noteElsewhere(
      new Map(others.flatMap((row) => Object.entries(JSON.parse(row.shares) as Record<string, number>))),
    );
  }

  /** A service was lost. */
  async forget(service: string): Promise<void> {
    await this.#sql.all(statements.forget, service);
  }
}
