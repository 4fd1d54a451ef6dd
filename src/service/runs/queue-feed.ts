import { messageOf } from '../../errors.ts';
import { mayPass } from '../system-errors.ts';
import type { ClaimedRun, Ending, Feed } from './feed.ts';
import type { Holders } from './holders.ts';
import type { Progress } from './progress.ts';

export interface QueueFeedParts {
  holders: Holders;
  progress: Progress;
  holder: string;
}

/** A holder's access to the queue in the database. */
export class QueueFeed implements Feed {
  readonly #holders: Holders;
  readonly #progress: Progress;
  readonly #holder: string;
  #onEnded: (runIds: readonly string[]) => void = () => {};

  constructor({ holders, progress, holder }: QueueFeedParts) {
    this.#holders = holders;
    this.#progress = progress;
    this.#holder = holder;
  }

  claim(most: number, without: readonly string[]): Promise<ClaimedRun[]> {
    return this.#holders.claim(this.#holder, most, without);
  }

  /** Writes how executions have ended. If the database can never store the outputs of a run, that run fails. */
  async report(endings: readonly Ending[]): Promise<void> {
    try {
      await this.#holders.record(this.#holder, endings);
    } catch (error) {
      if (mayPass(error)) throw error;
      for (const ending of endings) await this.#reportAlone(ending);
    }
    for (const { runId } of endings) this.#progress.end(runId);
  }

  progress(runId: string, fraction: number): void {
    this.#progress.note(runId, fraction);
  }

  /** Closes the holder. It claims no more runs, and its runs are FRESH again. */
  release(): Promise<void> {
    return this.#holders.close(this.#holder, { isLost: false });
  }

  whenEnded(callback: (runIds: readonly string[]) => void): void {
    this.#onEnded = callback;
  }

  /** Call this with runs that must not be executed any more. They may belong to any holder. */
  end(runIds: readonly string[]): void {
    this.#onEnded(runIds);
  }

  async #reportAlone(ending: Ending): Promise<void> {
    try {
      await this.#holders.record(this.#holder, [ending]);
    } catch (error) {
      if (mayPass(error) || ending.status !== 'COMPLETED') throw error;
      const { runId } = ending;
      const reason = `its outputs could not be stored: ${messageOf(error)}`;
      await this.#holders.record(this.#holder, [{ runId, status: 'FAILED', reason }]);
    }
  }
}
