import { messageOf } from '../../errors.ts';
import { inSpan } from '../../tracing.ts';
import { Hold } from '../backoff.ts';
import { Deferred } from '../deferred.ts';
import { OutputRefused } from '../files/run-files.ts';
import type { Outcome } from '../executors/execution.ts';
import type { ExecutorPool } from '../executors/pool.ts';
import type { JobRun, JobVersion } from '../executors/protocol.ts';
import type { ClaimedRun, Ending, Feed } from './feed.ts';
import type { OutputTexts } from './stored-run.ts';
import type { KeptRuns } from './kept-runs.ts';
import type { Recorder } from './recorder.ts';

/** The data that an executor needs for a run, besides the run's inputs. */
export type Prepared = JobVersion & Pick<JobRun, 'isAlone'>;

/** Prepares what the execution of a run needs: the code of its version, and its files. */
export interface Materials {
  /**
   * Returns the data that an executor needs for a run, besides the run's inputs. Afterwards, files among the inputs are
   * in the folder from which executors read.
   *
   * @throws Deferred when this is not possible at the moment; VersionUnusable when the version takes no runs any more
   */
  jobOf(run: ClaimedRun): Prepared | Promise<Prepared>;
  /**
   * Stores the output files of a run where the service keeps files. Repeats a failed attempt while this process works.
   *
   * @throws Deferred, OutputRefused
   */
  keepOutputs?(job: JobVersion, outputs: OutputTexts): Promise<void>;
  /** Called when the execution of a run has ended, in any way, and the outputs of a completed run are stored. Its input files may then be removed. */
  release?(job: JobVersion, run: ClaimedRun): void;
  /** Ids of versions whose runs cannot be executed here at the moment. */
  unwanted(): readonly string[];
}

/** A version takes no runs any more. A run of it fails with this message as its reason. */
export class VersionUnusable extends Error {
  override readonly name = 'VersionUnusable';
}

/** The end of an execution. `unusable`: the run cannot complete, and its model has not failed. */
export type Executed = Outcome | { kind: 'unusable'; reason: string };

/** Receives the events of the work on the queue. These events show faults of the system. */
export interface DispatcherListener {
  /** A claim has succeeded, perhaps without a run. `isIdle`: no run was claimed, none executes, none is held back. */
  claimed(isIdle: boolean): void;
  claimFailed(error: unknown): void;
  /** An execution has ended with this outcome. `ms` is its duration, with preparation and storing of files, in ms. */
  ended(versionId: string, outcome: Executed, ms: number): void;
}

export type Pool = Pick<ExecutorPool, 'size' | 'room' | 'execute' | 'stop' | 'whenRoom'>;

export interface DispatcherParts {
  feed: Feed;
  materials: Materials;
  pool: Pool;
  recorder: Recorder;
  listener: DispatcherListener;
  /** Keeps the folders of failed runs; undefined if they are not wanted. */
  kept: KeptRuns | undefined;
  /**
   * The number of runs to claim in addition to the runs that can begin, so that short runs need not wait for their
   * claim. @default 0
   */
  ahead?: () => number;
  /** Whether runs may be claimed now. @default always */
  mayClaim?: () => boolean;
  onFault: (error: unknown) => void;
}

/**
 * Claims runs for free executors, and reports how they end. It reads the queue when something has changed. A run that
 * cannot be executed now goes back to the queue. If its version is the reason, all runs of this version wait for a
 * growing time. After a failed claim, all claims wait for a growing time.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  /** Claimed runs whose end is not written yet. */
  readonly #taken = new Set<string>();
  /** Claimed runs that wait for an executor. */
  readonly #waiting: ClaimedRun[] = [];
  /** Claimed runs that are being prepared for an executor. */
  readonly #preparing = new Set<string>();
  /** The holds on versions whose runs could not be executed, by version id. */
  readonly #versionHolds = new Map<string, Hold>();
  /** The hold on all claims after a failed claim. */
  readonly #claimHold = new Hold(() => this.wake());
  #isClaiming = false;
  /** Whether something has changed since the last claim. */
  #isStale = false;
  #isOpen = true;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    parts.pool.whenRoom(() => this.wake());
    parts.feed.whenEnded((runIds) => {
      for (const runId of runIds) {
        void parts.pool.stop(runId);
        this.#drop(runId);
      }
    });
  }

  /** Call this when there may be a FRESH run or a free executor. Never throws. */
  wake(): void {
    this.#beginWaiting();
    this.#isStale = true;
    if (!this.#isClaiming) void this.#claimAll();
  }

  /** Whether the run was claimed here and its end is not written yet. */
  has(runId: string): boolean {
    return this.#taken.has(runId);
  }

  /** The runs that were claimed here and whose end is not written yet. */
  claimedRuns(): string[] {
    return [...this.#taken];
  }

  /**
   * Claims no more runs, and gives back the runs that wait. Runs that executors have, or that are being prepared for
   * them, continue until the pool is closed.
   */
  close(): void {
    this.#isOpen = false;
    for (const { id } of this.#waiting.splice(0)) this.#giveBack(id);
  }

  async #claimAll(): Promise<void> {
    this.#isClaiming = true;
    while (this.#isStale && this.#isOpen && !this.#claimHold.isHeld) {
      if (this.#parts.mayClaim?.() === false) break;
      const ahead = this.#parts.ahead?.() ?? 0;
      const most = this.#room() + ahead - this.#waiting.length;
      // a request to the queue is not worth its cost for half of `ahead` or fewer runs
      if (most <= ahead / 2) break;
      this.#isStale = false;
      const runs = await this.#claim(most);
      for (const { id } of runs) this.#taken.add(id);
      // `close` may have been called meanwhile
      if (this.#isOpen) this.#waiting.push(...runs);
      else for (const { id } of runs) this.#giveBack(id);
      this.#beginWaiting();
    }
    this.#isClaiming = false;
  }

  async #claim(most: number): Promise<ClaimedRun[]> {
    const { feed, materials, listener } = this.#parts;
    const heldVersions = [...this.#versionHolds]
      .filter(([, hold]) => hold.isHeld)
      .map(([versionId]) => versionId);
    try {
      const runs = await feed.claim(most, [...heldVersions, ...materials.unwanted()]);
      this.#claimHold.reset();
      listener.claimed(runs.length === 0 && heldVersions.length === 0 && this.#taken.size === 0);
      return runs;
    } catch (error) {
      this.#claimHold.hold();
      listener.claimFailed(error);
      return [];
    }
  }

  #room(): number {
    return this.#parts.pool.room() - this.#preparing.size;
  }

  #beginWaiting(): void {
    while (this.#waiting.length > 0 && this.#room() > 0) this.#begin(this.#waiting.shift()!);
  }

  /** Forgets a run that waits for an executor. */
  #drop(runId: string): void {
    const index = this.#waiting.findIndex(({ id }) => id === runId);
    if (index < 0) return;
    this.#waiting.splice(index, 1);
    this.#taken.delete(runId);
  }

  #giveBack(runId: string): void {
    void this.#parts.recorder.record({ runId, status: 'FRESH' }).then(() => this.#taken.delete(runId));
  }

  #begin(run: ClaimedRun): void {
    this.#preparing.add(run.id);
    this.#execute(run)
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#taken.delete(run.id);
        this.#preparing.delete(run.id);
        this.wake();
      });
  }

  async #execute(run: ClaimedRun): Promise<void> {
    const start = performance.now();
    const outcome = await inSpan(
      'execute run',
      run.trace,
      { attributes: { 'foray.run': run.id, 'foray.version': run.versionId }, failureOf },
      () => this.#outcomeOf(run),
    );
    const ms = performance.now() - start;
    await this.#keepOrRemoveFolder(run.id, outcome);
    this.#noteOutcome(run.versionId, outcome, ms);
    const ending = endingOf(run.id, outcome);
    // the executor gets its next run before the end of this one is written
    if (ending?.status === 'COMPLETED') this.wake();
    if (ending) await this.#parts.recorder.record(ending);
  }

  async #outcomeOf(run: ClaimedRun): Promise<Executed> {
    const { id: runId, versionId, inputs } = run;
    const { materials, pool, feed, kept } = this.#parts;
    let job: Prepared | undefined;
    try {
      const prepared = materials.jobOf(run);
      // a job that is there already begins in this turn, without a chance for another claim in between
      job = prepared instanceof Promise ? await prepared : prepared;
      const keepIn = kept?.folderFor(runId);
      // from here on, the pool counts the run: no `await` may stand before its `execute`
      this.#preparing.delete(runId);
      const outcome = await pool.execute({ runId, versionId, ...job, inputs, keepIn }, (fraction) =>
        feed.progress(runId, fraction),
      );
      if (outcome.kind === 'completed') await materials.keepOutputs?.(job, outcome.outputs);
      return outcome;
    } catch (error) {
      const reason = messageOf(error);
      if (error instanceof Deferred) return { kind: 'deferred', reason, isLasting: error.isLasting };
      if (error instanceof VersionUnusable || error instanceof OutputRefused)
        return { kind: 'unusable', reason };
      throw error;
    } finally {
      if (job) materials.release?.(job, run);
    }
  }

  /** Keeps the folder of a failed run, and removes the folder of any other run, if folders are kept. */
  async #keepOrRemoveFolder(id: string, outcome: Executed): Promise<void> {
    const { kept, onFault } = this.#parts;
    if (!kept) return;
    try {
      if (outcome.kind === 'failed') await kept.keep(id, outcome.reason);
      else await kept.drop(id);
    } catch (error) {
      onFault(error);
      // an incomplete folder is removed, so that a full disk does not stay full
      await kept.drop(id).catch(onFault);
    }
  }

  #noteOutcome(versionId: string, outcome: Executed, ms: number): void {
    switch (outcome.kind) {
      case 'completed':
      case 'failed':
      case 'unusable':
        this.#versionHolds.delete(versionId);
        break;
      case 'deferred':
        if (!this.#versionHolds.has(versionId))
          this.#versionHolds.set(versionId, new Hold(() => this.wake()));
        this.#versionHolds.get(versionId)!.hold();
        break;
      case 'unstarted':
      case 'ended':
    }
    this.#parts.listener.ended(versionId, outcome, ms);
  }
}

/** Why an execution did not complete its run; undefined if it did. */
function failureOf(outcome: Executed): string | undefined {
  if (outcome.kind === 'completed') return undefined;
  return 'reason' in outcome ? outcome.reason : outcome.kind;
}

/**
 * The ending to report for an outcome. Undefined for a run that was stopped, or that becomes FRESH later, when its
 * holder is closed or the service starts again.
 */
function endingOf(runId: string, outcome: Executed): Ending | undefined {
  switch (outcome.kind) {
    case 'completed':
      return { runId, status: 'COMPLETED', outputs: outcome.outputs };
    case 'failed':
      return { runId, status: 'FAILED', reason: outcome.reason, log: outcome.log };
    case 'unusable':
      return { runId, status: 'FAILED', reason: outcome.reason };
    case 'deferred':
      return { runId, status: 'FRESH', reason: outcome.reason, isLasting: outcome.isLasting ?? false };
    case 'unstarted':
      return { runId, status: 'FRESH', reason: outcome.reason };
    case 'ended':
      return undefined;
  }
}
