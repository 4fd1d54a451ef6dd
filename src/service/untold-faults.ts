import type { Problems } from './problems.ts';
import { isUnreachable } from './system-errors.ts';

/** After this time, the service has noticed that its database is away, ms. */
const NOTICED_AFTER = 15_000;

/**
 * Decides whether a part of the service tells about a failure of the database that it meets. The service itself tells
 * that its database is away. It does not notice a server that answers but cannot be used, such as PostgreSQL with a full
 * disk.
 */
export class UntoldFaults {
  readonly #problems: Problems;
  /** Since when the database cannot be reached, by `performance.now`. */
  #since: number | undefined;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  /** Call this when the database has answered. */
  noteAnswer(): void {
    this.#since = undefined;
  }

  /** Whether the part must tell about a failure. Call this for each failure. */
  mustTell(error: unknown): boolean {
    if (!isUnreachable(error)) return true;
    this.#since ??= performance.now();
    const isTold = this.#problems.has('DATABASE_AWAY') || this.#problems.has('DATABASE_LOST');
    return !isTold && performance.now() - this.#since >= NOTICED_AFTER;
  }
}
