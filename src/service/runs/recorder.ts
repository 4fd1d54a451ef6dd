import { setTimeout as pause } from 'node:timers/promises';
import type { RunLog } from '../../api/extensions.ts';
import { messageOf } from '../../errors.ts';
import { Backoff } from '../backoff.ts';
import type { Problems } from '../problems.ts';
import { mayPass } from '../system-errors.ts';
import type { Ended, RunRepository } from './repository.ts';
import type { OutputTexts } from './stored-run.ts';

/** The end of a RUNNING run's execution. */
export type Ending =
  | { status: 'COMPLETED'; outputs: OutputTexts }
  /** `log` is its printed output, if it was executed. */
  | { status: 'FAILED'; reason: string; log?: RunLog }
  /** `reason` is null if somebody requested the stop. */
  | { status: 'STOPPED'; reason: string | null }
  /** The run could not be executed. */
  | { status: 'FRESH' };

/**
 * Writes the ends of executions. If the database refuses a write, it is tried again until it succeeds or the run was
 * stopped meanwhile. Outputs that the database can never store fail their run.
 */
export class Recorder {
  readonly #runs: RunRepository;
  readonly #problems: Problems;
  readonly #pending = new Set<string>();
  #open = true;

  constructor(runs: RunRepository, problems: Problems) {
    this.#runs = runs;
    this.#problems = problems;
  }

  /** Writes at once, and resolves when it is written. Never rejects. Returns the runs that end with this run. */
  async record(id: string, ending: Ending): Promise<Ended> {
    this.#pending.add(id);
    const backoff = new Backoff();
    let due = ending;
    try {
      while (this.#open) {
        try {
          const ended = this.#write(id, due);
          this.#problems.resolve('RUNS_UNRECORDED', id);
          return ended;
        } catch (error) {
          this.#complain(id, error);
          if (due.status === 'COMPLETED' && !mayPass(error)) {
            due = { status: 'FAILED', reason: `its outputs could not be stored: ${messageOf(error)}` };
          }
        }
        await pause(backoff.next(), undefined, { ref: false });
      }
      return [];
    } finally {
      this.#pending.delete(id);
    }
  }

  /** Whether the end of the run is not written yet. */
  isPending(id: string): boolean {
    return this.#pending.has(id);
  }

  /** Ends all further attempts. */
  close(): void {
    this.#open = false;
  }

  #write(id: string, ending: Ending): Ended {
    if (this.#runs.byId(id)?.status !== 'RUNNING') return [];
    switch (ending.status) {
      case 'COMPLETED':
        this.#runs.complete(id, ending.outputs);
        return [];
      case 'FAILED':
        return this.#runs.fail(id, ending.reason, ending.log);
      case 'STOPPED':
        return this.#runs.stop(id, ending.reason);
      case 'FRESH':
        this.#runs.defer(id);
        return [];
    }
  }

  #complain(id: string, error: unknown): void {
    this.#problems.raise({
      code: 'RUNS_UNRECORDED',
      subject: id,
      message: 'The database does not take what has become of a run; it is kept in memory and tried again.',
      detail: `The database does not take what has become of run ${id}, which is tried again: ${messageOf(error)}`,
    });
  }
}
