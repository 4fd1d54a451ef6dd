import { messageOf } from '../../errors.ts';
import { Hold } from '../backoff.ts';
import { Deferred } from '../deferred.ts';
import type { ExecutorPool, Outcome } from '../executors/pool.ts';
import type { Job } from '../executors/protocol.ts';
import type { ClaimedRun, Ending, Feed } from './feed.ts';
import type { KeptRuns } from './kept-runs.ts';
import type { Recorder } from './recorder.ts';

/** The versions of models, for those who execute their runs. */
export interface ExecutableVersions {
  /**
   * What an executor needs for runs of a version, besides their inputs.
   *
   * @throws Deferred when it cannot be used just now; VersionUnusable when the version takes no runs any more
   */
  jobOf(versionId: string): VersionJob | Promise<VersionJob>;
  /** Ids of versions whose code cannot be read just now. */
  unreadableVersions(): readonly string[];
}

export type VersionJob = Pick<Job, 'code' | 'template'>;

/** A version takes no runs any more: a run of it fails with this message as its reason. */
export class VersionUnusable extends Error {
  override readonly name = 'VersionUnusable';
}

/** How an execution ended. `unusable`: its version takes no runs any more. */
export type Executed = Outcome | { kind: 'unusable'; reason: string };

/** Hears what the work on the queue shows about the system. */
export interface DispatcherListener {
  /** Runs could be claimed, or none waited. `isIdle`: none waits, none executes and none is held back. */
  claimed(isIdle: boolean): void;
  claimFailed(error: unknown): void;
  /** An execution has ended so. */
  ended(versionId: string, outcome: Executed): void;
}

export interface DispatcherParts {
  feed: Feed;
  versions: ExecutableVersions;
  pool: ExecutorPool;
  recorder: Recorder;
  listener: DispatcherListener;
  /** Keeps the folders of failed runs, if wanted. */
  kept: KeptRuns | undefined;
  onFault: (error: unknown) => void;
}

/**
 * Claims runs for free executors, and reports how they end. The queue is asked when something has changed. A run that
 * cannot be executed now is given back, and runs of its version, or all runs, are held back for a growing time.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  /** Runs that were claimed and whose end is not written yet. */
  readonly #taken = new Set<string>();
  /** Those that no executor has yet. */
  readonly #preparing = new Set<string>();
  /** The holds on versions whose runs could not be executed, by version id. */
  readonly #held = new Map<string, Hold>();
  /** The hold on all runs while the queue cannot be read. */
  readonly #queue = new Hold(() => this.wake());
  #isClaiming = false;
  /** Whether something has changed since the last claim. */
  #isStale = false;
  #open = true;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    parts.pool.whenRoom(() => this.wake());
    parts.feed.whenEnded((runIds) => {
      for (const runId of runIds) parts.pool.stop(runId);
    });
  }

  /** Call this when there may be a FRESH run or a free executor. Never throws. */
  wake(): void {
    this.#isStale = true;
    if (!this.#isClaiming) void this.#claimAll();
  }

  /** Whether the run is executing here. */
  has(runId: string): boolean {
    return this.#taken.has(runId);
  }

  /** Starts no more runs. Running ones continue until the pool is closed. */
  close(): void {
    this.#open = false;
  }

  async #claimAll(): Promise<void> {
    this.#isClaiming = true;
    while (this.#isStale && this.#open && !this.#queue.isHeld) {
      const room = this.#parts.pool.room() - this.#preparing.size;
      if (room <= 0) break;
      this.#isStale = false;
      const runs = await this.#claim(room);
      // `close` may have been called meanwhile
      if (this.#open) for (const run of runs) this.#begin(run);
      else for (const { id } of runs) void this.#parts.recorder.record({ runId: id, status: 'FRESH' });
    }
    this.#isClaiming = false;
  }

  async #claim(most: number): Promise<ClaimedRun[]> {
    const { feed, versions, listener } = this.#parts;
    const held = [...this.#held].filter(([, hold]) => hold.isHeld).map(([versionId]) => versionId);
    try {
      const runs = await feed.claim(most, [...held, ...versions.unreadableVersions()]);
      this.#queue.reset();
      listener.claimed(runs.length + held.length + this.#taken.size === 0);
      return runs;
    } catch (error) {
      this.#queue.hold();
      listener.claimFailed(error);
      return [];
    }
  }

  #begin(run: ClaimedRun): void {
    this.#taken.add(run.id);
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
    const outcome = await this.#outcomeOf(run);
    await this.#keep(run.id, outcome);
    this.#handleOutcome(run.versionId, outcome);
    const ending = endingOf(run.id, outcome);
    // the executor gets its next run before this one is written down
    if (ending?.status === 'COMPLETED') this.wake();
    if (ending) await this.#parts.recorder.record(ending);
  }

  async #outcomeOf({ id: runId, versionId, inputs }: ClaimedRun): Promise<Executed> {
    const { versions, pool, feed, kept } = this.#parts;
    try {
      const prepared = versions.jobOf(versionId);
      const job = prepared instanceof Promise ? await prepared : prepared;
      this.#preparing.delete(runId);
      const keepIn = kept?.folderFor(runId);
      return await pool.execute({ runId, versionId, ...job, inputs, keepIn }, (fraction) =>
        feed.progress(runId, fraction),
      );
    } catch (error) {
      const reason = messageOf(error);
      if (error instanceof Deferred) return { kind: 'deferred', reason };
      if (error instanceof VersionUnusable) return { kind: 'unusable', reason };
      throw error;
    }
  }

  /** Keeps the folder of a failed run, if wanted. */
  async #keep(id: string, outcome: Executed): Promise<void> {
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

  #handleOutcome(versionId: string, outcome: Executed): void {
    switch (outcome.kind) {
      case 'completed':
      case 'failed':
      case 'unusable':
        this.#held.delete(versionId);
        break;
      case 'deferred':
        if (!this.#held.has(versionId)) this.#held.set(versionId, new Hold(() => this.wake()));
        this.#held.get(versionId)!.hold();
        break;
      case 'unstarted':
      case 'ended':
    }
    this.#parts.listener.ended(versionId, outcome);
  }
}

/** Undefined for a run that was stopped, or that becomes FRESH at the next start of the service. */
function endingOf(runId: string, outcome: Executed): Ending | undefined {
  switch (outcome.kind) {
    case 'completed':
      return { runId, status: 'COMPLETED', outputs: outcome.outputs };
    case 'failed':
      return { runId, status: 'FAILED', reason: outcome.reason, log: outcome.log };
    case 'unusable':
      return { runId, status: 'FAILED', reason: outcome.reason };
    case 'deferred':
    case 'unstarted':
      return { runId, status: 'FRESH' };
    case 'ended':
      return undefined;
  }
}
