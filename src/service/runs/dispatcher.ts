import { messageOf } from '../../errors.ts';
import { Hold } from '../backoff.ts';
import type { ExecutorPool, Outcome } from '../executors/pool.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { Problems } from '../problems.ts';
import type { KeptRuns } from './kept-runs.ts';
import type { Ending, Recorder } from './recorder.ts';
import type { RunRepository } from './repository.ts';
import type { StoredRun } from './stored-run.ts';

export interface DispatcherParts {
  runs: RunRepository;
  registry: ModelRegistry;
  pool: ExecutorPool;
  recorder: Recorder;
  problems: Problems;
  /** Keeps what repeats runs that failed, where that is asked for. */
  kept: KeptRuns | undefined;
  onFault: (error: unknown) => void;
  /** A model's files are to be read again: an executor could not read them, or has read something else. */
  onDoubt: () => void;
}

/**
 * Gives FRESH runs to free executors, in the order of request, and records how they end. The queue is the database; it is
 * looked at when something has changed. A run that cannot be executed now is FRESH again, and runs of its version, or all,
 * are held back for a time that grows.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  /** Share done of the runs that execute, by run id. */
  readonly #progress = new Map<string, number>();
  /** Runs that were taken from the queue, until it is written what has become of them. */
  readonly #taken = new Set<string>();
  /** What holds back the runs of versions that could not be executed, by version id. */
  readonly #held = new Map<string, Hold>();
  /** Holds back all while the queue cannot be read. */
  readonly #queue = new Hold(() => this.wake());
  #open = true;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    parts.pool.whenRoom(() => this.wake());
  }

  /** To be called when there may be a FRESH run or a free executor. Never throws. */
  wake(): void {
    const { pool, onFault } = this.#parts;
    while (this.#open && !this.#queue.isHeld && pool.hasFree()) {
      const run = this.#next();
      if (!run) return;
      this.#taken.add(run.id);
      this.#execute(run)
        .catch(onFault)
        .finally(() => {
          this.#taken.delete(run.id);
          this.#progress.delete(run.id);
          this.wake();
        });
    }
  }

  /** Stops a FRESH or RUNNING run at once, and what then is of no use to anybody. */
  stop(runId: string): void {
    this.#end(this.#parts.runs.stop(runId));
  }

  /** Whether it executes the run. */
  has(runId: string): boolean {
    return this.#taken.has(runId);
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

  #next(): StoredRun | undefined {
    const { runs, registry, problems } = this.#parts;
    const held = [...this.#held].filter(([, hold]) => hold.isHeld).map(([versionId]) => versionId);
    try {
      const run = runs.startNext([...held, ...registry.unreadableVersions()]);
      this.#queue.reset();
      problems.resolve('QUEUE_STUCK', '');
      // nothing waits any more, whatever it waited for
      if (!run && held.length + this.#taken.size === 0)
        problems.replace(['NO_EXECUTOR', 'RUNS_DEFERRED'], []);
      return run;
    } catch (error) {
      this.#queue.hold();
      problems.raise({
        code: 'QUEUE_STUCK',
        subject: '',
        message: 'The database cannot be used: runs wait.',
        detail: `No run can be taken from the queue, which is tried again: ${messageOf(error)}`,
      });
      return undefined;
    }
  }

  async #execute({ id, versionId, inputs }: StoredRun): Promise<void> {
    const { registry, pool, recorder, kept } = this.#parts;
    const { code, experimentTemplate } = registry.version(versionId);
    if (!code) {
      this.#release(versionId);
      const reason = 'the model has changed since this run was requested, and its old code is gone';
      return this.#end(await recorder.record(id, { status: 'FAILED', reason }));
    }
    const keepIn = kept?.folderFor(id);
    const job = { runId: id, versionId, code, template: experimentTemplate, inputs, keepIn };
    const outcome = await pool.execute(job, (fraction) => this.#progress.set(id, fraction));
    this.#progress.delete(id);
    await this.#keep(id, outcome);
    this.#heed(versionId, outcome);
    const ending = endingOf(outcome);
    if (ending) this.#end(await recorder.record(id, ending));
  }

  /** Keeps the folder of a run that failed, where that is asked for. */
  async #keep(id: string, outcome: Outcome): Promise<void> {
    const { kept, onFault } = this.#parts;
    if (!kept) return;
    try {
      if (outcome.kind === 'failed') await kept.keep(id, outcome.reason);
      else await kept.drop(id);
    } catch (error) {
      onFault(error);
      // what cannot be kept whole is not kept, so that a full disk does not stay full
      await kept.drop(id).catch(onFault);
    }
  }

  /** Notes what an outcome says of the system and of the version, beside the run. */
  #heed(versionId: string, outcome: Outcome): void {
    const { registry, problems, onDoubt } = this.#parts;
    switch (outcome.kind) {
      case 'completed':
      case 'failed':
        this.#release(versionId);
        return problems.resolve('NO_EXECUTOR', '');
      case 'unstarted':
        return problems.raise({
          code: 'NO_EXECUTOR',
          subject: '',
          message: 'No process for an executor can be started: runs wait.',
          detail: `No process for an executor can be started, which is tried again: ${outcome.reason}`,
        });
      case 'deferred': {
        if (!this.#held.has(versionId)) this.#held.set(versionId, new Hold(() => this.wake()));
        this.#held.get(versionId)!.hold();
        problems.raise({
          code: 'RUNS_DEFERRED',
          subject: versionId,
          message: `${registry.publicName(versionId)} cannot be executed just now: its runs wait.`,
          detail: `Runs of the model "${registry.model(registry.version(versionId).modelId).name}" wait: ${outcome.reason}`,
        });
        return onDoubt();
      }
      case 'ended':
    }
  }

  #release(versionId: string): void {
    this.#held.delete(versionId);
    this.#parts.problems.resolve('RUNS_DEFERRED', versionId);
  }

  #end(runIds: readonly string[]): void {
    for (const runId of runIds) this.#parts.pool.stop(runId);
  }
}

/** Undefined for a run that was stopped, or that is FRESH again when the service starts. */
function endingOf(outcome: Outcome): Ending | undefined {
  switch (outcome.kind) {
    case 'completed':
      return { status: 'COMPLETED', outputs: outcome.outputs };
    case 'failed':
      return { status: 'FAILED', reason: outcome.reason, log: outcome.log };
    case 'deferred':
    case 'unstarted':
      return { status: 'FRESH' };
    case 'ended':
      return undefined;
  }
}
