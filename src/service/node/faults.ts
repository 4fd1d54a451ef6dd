import type { Executed } from '../runs/dispatcher.ts';

/** After so many runs in a row that this machine could not execute, it claims nothing. */
const MOST = 3;
/** How long it then waits before it tries one run again, in milliseconds. */
const PATIENCE = 60_000;

/** Notes runs that cannot be executed by the fault of this machine. They wait for another machine, and do not fail. */
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

  /** Why this machine claims nothing; undefined when it claims. */
  problem(): string | undefined {
    if (this.#inRow < MOST || this.#now() - this.#since > PATIENCE) return undefined;
    return this.#reason;
  }
}
