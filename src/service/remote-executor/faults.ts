import type { Executed } from '../runs/dispatcher.ts';

/** If this machine could not execute this number of runs in a row, it claims no runs. */
const MOST = 3;
/** The time after the last fault until this machine claims runs again, in milliseconds. */
const RETRY_AFTER = 60_000;

/**
 * Notes runs that this machine cannot execute because of its own faults. Such a run does not fail, but waits again.
 * After several of them, this machine claims no runs for a while, so that another machine gets them.
 */
export class Faults {
  readonly #now: () => number;
  #inRow = 0;
  #reason = '';
  #since = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes how an execution has ended. */
  note(outcome: Executed): void {
    if (outcome.kind === 'completed' || outcome.kind === 'failed') this.#inRow = 0;
    if (outcome.kind !== 'deferred' && outcome.kind !== 'unstarted') return;
    this.#inRow += 1;
    this.#reason = outcome.reason;
    this.#since = this.#now();
  }

  /** Why this machine claims no runs; undefined when it claims runs. */
  problem(): string | undefined {
    if (this.#inRow < MOST || this.#now() - this.#since > RETRY_AFTER) return undefined;
    return this.#reason;
  }
}
