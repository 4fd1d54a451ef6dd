import { messageOf } from '../../errors.ts';
import { Hold } from '../backoff.ts';
import { Deferred } from '../deferred.ts';
import type { ExecutorPool, Outcome } from '../executors/pool.ts';
import type { ModelCode } from '../models/folder.ts';
import type { ModelRegistry, ServedVersion } from '../models/registry.ts';
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
  /** Keeps the folders of failed runs, if wanted. */
  kept: KeptRuns | undefined;
  onFault: (error: unknown) => void;
  /**
   * Called when a model's files must be read again, because an executor could not read them or has read other content.
   */
  onDoubt: () => void;
}

/**
 * Gives FRESH runs to free executors, in the order of request (run-sql.ts), and records how they end. The queue is in
 * the database. It is read when something has changed. A run that cannot be executed now becomes FRESH again, and runs
 * of its version, or all runs, are held back for a growing time.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  /** The finished shares of executing runs, by run id. */
  readonly #progress = new Map<string, number>();
  /** Runs that were taken from the queue and whose end is not written yet. */
  readonly #taken = new Set<string>();
  /** The holds on versions whose runs could not be executed, by version id. */
  readonly #held = new Map<string, Hold>();
  /** The hold on all runs while the queue cannot be read. */
  readonly #queue = new Hold(() => this.wake());
  #open = true;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    parts.pool.whenRoom(() => this.wake());
  }

  /** Call this when there may be a FRESH run or a free executor. Never throws. */
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

  /** Stops a FRESH or RUNNING run at once, and the runs that nobody needs any more. */
  stop(runId: string): void {
    this.#end(this.#parts.runs.stop(runId));
  }

  /** Whether the run is executing here. */
  has(runId: string): boolean {
    return this.#taken.has(runId);
  }

  /** The finished share of a RUNNING run, 0 to 1. */
  progressOf(runId: string): number {
    return this.#progress.get(runId) ?? 0;
  }

  /** Records the finished share of a run that executes outside the queue; `undefined` when it has ended. */
  noteProgress(runId: string, fraction: number | undefined): void {
    if (fraction === undefined) this.#progress.delete(runId);
    else this.#progress.set(runId, fraction);
  }

  /** Starts no more runs. Running ones continue until the pool is closed. */
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
      // cancels all waits
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
    const version = registry.version(versionId);
    const { experimentTemplate, retired } = version;
    const code = this.#codeOf(version);
    if (!code) {
      this.#release(versionId);
      const reason = `version ${version.version} of the model takes no runs any more: ${retired}`;
      return this.#end(await recorder.record(id, { status: 'FAILED', reason }));
    }
    const keepIn = kept?.folderFor(id);
    const outcome: Outcome =
      'kind' in code
        ? code
        : await pool.execute(
            { runId: id, versionId, code, template: experimentTemplate, inputs, keepIn },
            (fraction) => this.#progress.set(id, fraction),
          );
    this.#progress.delete(id);
    await this.#keep(id, outcome);
    this.#handleOutcome(versionId, outcome);
    const ending = endingOf(outcome);
    if (ending) this.#end(await recorder.record(id, ending));
  }

  /** Runs at once, so that the executor's place is taken. A job that cannot be prepared now is deferred. */
  #codeOf(version: ServedVersion): ModelCode | Extract<Outcome, { kind: 'deferred' }> | undefined {
    try {
      return this.#parts.registry.codeOf(version);
    } catch (error) {
      if (error instanceof Deferred) return { kind: 'deferred', reason: error.message };
      throw error;
    }
  }

  /** Keeps the folder of a failed run, if wanted. */
  async #keep(id: string, outcome: Outcome): Promise<void> {
    const { kept, onFault } = this.#parts;
    if (!kept) return;
    try {
      if (outcome.kind === 'failed') await kept.keep(id, outcome.reason);
      else await kept.drop(id);
    } catch (error) {
      onFault(error);
      // a folder that cannot be kept whole is removed, so that a full disk does not stay full
      await kept.drop(id).catch(onFault);
    }
  }

  /** Notes what an outcome shows about the system and the version. */
  #handleOutcome(versionId: string, outcome: Outcome): void {
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

/** Undefined for a run that was stopped, or that becomes FRESH at the next start of the service. */
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
