import { setTimeout as pause } from 'node:timers/promises';
import type { ExecutorPool, Outcome } from '../executors/pool.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { isStorageFull } from '../storage.ts';
import type { KeptRuns } from './kept-runs.ts';
import type { RunRepository, StoredRun } from './repository.ts';

/** Time between two tries to write how a run ended while the disk is full, in milliseconds. */
const TRY_AGAIN = 1_000;

/**
 * Gives FRESH runs to free executors, in the order of request, and records how they end. The queue is the database;
 * it is looked at when something has changed, never on a timer. While the disk is full, what comes of a run is kept until
 * it can be written.
 */
export class Dispatcher {
  readonly #runs: RunRepository;
  readonly #registry: ModelRegistry;
  readonly #pool: ExecutorPool;
  readonly #onFault: (error: unknown) => void;
  readonly #kept: KeptRuns | undefined;
  /** Share done of the runs that execute, by run id. */
  readonly #progress = new Map<string, number>();
  #open = true;

  constructor(
    runs: RunRepository,
    registry: ModelRegistry,
    pool: ExecutorPool,
    onFault: (error: unknown) => void,
    kept?: KeptRuns,
  ) {
    this.#runs = runs;
    this.#registry = registry;
    this.#pool = pool;
    this.#onFault = onFault;
    this.#kept = kept;
  }

  /** To be called when there may be a FRESH run or a free executor. */
  wake(): void {
    while (this.#open && this.#pool.hasFree()) {
      const run = this.#runs.startNext();
      if (!run) return;
      this.#execute(run).catch(this.#onFault);
    }
  }

  /** Stops a FRESH or RUNNING run at once, and what then is of no use to anybody. */
  stop(runId: string): void {
    this.#end(this.#runs.stop(runId));
  }

  /** Share done of a RUNNING run, 0 to 1. */
  progressOf(runId: string): number {
    return this.#progress.get(runId) ?? 0;
  }

  /** Takes down the share done of a run that executes outside the queue; `undefined` when it has ended. */
  noteProgress(runId: string, fraction: number | undefined): void {
    if (fraction === undefined) this.#progress.delete(runId);
    else this.#progress.set(runId, fraction);
  }

  /** From here on no run is started; those that run go on until the pool is closed. */
  close(): void {
    this.#open = false;
  }

  async #execute({ id, versionId, inputs }: StoredRun): Promise<void> {
    const { code, experimentTemplate } = this.#registry.version(versionId);
    if (!code) {
      this.#end(
        this.#runs.fail(id, 'the model has changed since this run was requested, and its old code is gone'),
      );
      return;
    }
    const keepIn = this.#kept?.folderFor(id);
    const job = { runId: id, versionId, code, template: experimentTemplate, inputs, keepIn };
    const outcome = await this.#pool.execute(job, (fraction) => this.#progress.set(id, fraction));
    this.#progress.delete(id);
    await this.#keep(id, outcome);
    while (!this.#record(id, outcome)) {
      await pause(TRY_AGAIN, undefined, { ref: false });
      // somebody may have stopped it, or the service, before there was room
      if (!this.#open || this.#runs.byId(id)?.status !== 'RUNNING') break;
    }
    this.wake();
  }

  /** Keeps the folder of a run that failed, where that is asked for. */
  async #keep(id: string, outcome: Outcome): Promise<void> {
    if (!this.#kept) return;
    try {
      if (outcome.kind === 'failed') await this.#kept.keep(id, outcome.reason);
      else await this.#kept.drop(id);
    } catch (error) {
      this.#onFault(error);
    }
  }

  /** Writes how a run ended; false when there is no room for that. */
  #record(id: string, outcome: Outcome): boolean {
    try {
      if (outcome.kind === 'ended' || this.#runs.byId(id)?.status !== 'RUNNING') return true;
      if (outcome.kind === 'completed') this.#runs.complete(id, outcome.outputs);
      else this.#end(this.#runs.fail(id, outcome.reason, outcome.log));
      return true;
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      this.#onFault(error);
      return false;
    }
  }

  #end(runIds: readonly string[]): void {
    for (const runId of runIds) this.#pool.stop(runId);
  }
}
