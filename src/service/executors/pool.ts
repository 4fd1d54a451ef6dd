import type { ChildProcess } from 'node:child_process';
import { messageOf } from '../../errors.ts';
import { Hold } from '../backoff.ts';
import { ContentFiles } from '../files/content.ts';
import {
  crashed,
  killModelProcess,
  memoryFor,
  type ModelProcessOptions,
  reasonOfExit,
  startModelProcess,
} from './process.ts';
import type { Job, Report } from './protocol.ts';

/**
 * How an execution ended; `ended` when its process was ended from outside, by `stop` or `close`; `unstarted` when no
 * process could be started for it.
 */
export type Outcome =
  | Extract<Report, { kind: 'completed' | 'failed' | 'deferred' }>
  | { kind: 'unstarted'; reason: string }
  | { kind: 'ended' };

interface Execution {
  runId: string;
  onProgress: (fraction: number) => void;
  settle: (outcome: Outcome) => void;
  /** That of its time limit. */
  timer: NodeJS.Timeout | undefined;
}

interface Executor {
  child: ChildProcess;
  /** Most memory that its run may take, in MB. */
  memory: number;
  execution: Execution | undefined;
  /** Whether it has started, so that what ends it is a matter of its run. */
  isReady: boolean;
  /** Whether it ends with its run. */
  isOld: boolean;
}

/** A run's `{MAX_MEMORY_MB}` may make the memory less. */
export interface PoolOptions extends ModelProcessOptions {
  /** How many runs execute at once. */
  size: number;
  /** Longest that a run may execute, in seconds. */
  timeout: number | undefined;
}

/**
 * Executors: processes that run one run at a time each. A process is made when it is first needed, kept for the next
 * run, and killed when its run is stopped. One that breaks fails its run and nothing else. While none can be started, each
 * further try waits longer.
 */
export class ExecutorPool {
  readonly #options: PoolOptions;
  readonly #files: ContentFiles;
  readonly #executors = new Set<Executor>();
  /** Holds back the start of processes. */
  readonly #starts = new Hold(() => this.#onRoom());
  #onRoom: () => void = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#files = new ContentFiles(options.filesDir);
  }

  /** @param callback - called when processes may be started again, after a time in which they could not */
  whenRoom(callback: () => void): void {
    this.#onRoom = callback;
  }

  hasFree(): boolean {
    if (this.#findFree()) return true;
    return !this.#starts.isHeld && this.#executors.size < this.#options.size;
  }

  /** Runs a job on a free executor; never rejects. Call only when `hasFree`. */
  execute(job: Job, onProgress: (fraction: number) => void): Promise<Outcome> {
    return new Promise((settle) => {
      try {
        const executor = this.#take(memoryFor(job, this.#options.memory));
        executor.execution = { runId: job.runId, onProgress, settle, timer: this.#limitTime(executor) };
        // a process that could not be started has no channel, and ends by the event that says so
        if (executor.child.connected) {
          executor.child.send(
            job,
            (error) => error && this.#lose(executor, crashed(error.message), error.message),
          );
        }
      } catch (error) {
        this.#starts.hold();
        settle({ kind: 'unstarted', reason: messageOf(error) });
      }
    });
  }

  /** Ends the process that runs the run, if one does; its place is free at once. */
  stop(runId: string): void {
    for (const executor of this.#executors) {
      if (executor.execution?.runId === runId) void this.#end(executor, { kind: 'ended' });
    }
  }

  /** Has no run from here on execute in a process that may have loaded a model's earlier code. */
  renew(): void {
    for (const executor of this.#executors) {
      if (executor.execution) executor.isOld = true;
      else void this.#end(executor, { kind: 'ended' });
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#executors].map((executor) => this.#end(executor, { kind: 'ended' })));
  }

  #findFree(): Executor | undefined {
    for (const executor of this.#executors) if (!executor.execution) return executor;
    return undefined;
  }

  /** A free executor with that limit of memory, in the place of one with another if need be. */
  #take(memory: number): Executor {
    const free = [...this.#executors].filter(({ execution }) => !execution);
    const fitting = free.find((executor) => executor.memory === memory);
    if (fitting) return fitting;
    if (this.#executors.size >= this.#options.size) void this.#end(free[0]!, { kind: 'ended' });
    return this.#make(memory);
  }

  #limitTime(executor: Executor): NodeJS.Timeout | undefined {
    const { timeout } = this.#options;
    if (timeout === undefined) return undefined;
    const reason = `it ran longer than the service lets a run: ${timeout} s`;
    return setTimeout(() => void this.#end(executor, { kind: 'failed', reason }), timeout * 1_000);
  }

  #make(memory: number): Executor {
    const child = startModelProcess(new URL('./executor.ts', import.meta.url), { ...this.#options, memory });
    const executor: Executor = { child, memory, execution: undefined, isReady: false, isOld: false };
    this.#executors.add(executor);
    child.on('message', (report: Report) => this.#heed(executor, report));
    child.on('error', (error) => this.#lose(executor, crashed(messageOf(error)), messageOf(error)));
    child.on('exit', (code, signal) =>
      this.#lose(executor, reasonOfExit(signal, memory), `it ended with ${signal ?? code} while it started`),
    );
    return executor;
  }

  /**
   * An executor has ended by itself: that is its run's failure only if it had started.
   *
   * @param why - why it has not started, if it has not
   */
  #lose(executor: Executor, reason: string, why: string): void {
    if (!this.#executors.has(executor)) return;
    if (executor.isReady) return void this.#end(executor, { kind: 'failed', reason });
    this.#starts.hold();
    void this.#end(executor, { kind: 'unstarted', reason: why });
  }

  #heed(executor: Executor, report: Report): void {
    switch (report.kind) {
      case 'ready':
        executor.isReady = true;
        return this.#starts.reset();
      case 'progress':
        return executor.execution?.onProgress(report.fraction);
      case 'crashed':
        return this.#lose(executor, crashed(report.reason), report.reason);
      case 'deferred':
        // what it has loaded of the model may be a part
        return void this.#end(executor, report);
      case 'completed':
      case 'failed':
        if (executor.isOld) void this.#end(executor, report);
        else this.#settle(executor, report);
    }
  }

  async #end(executor: Executor, outcome: Outcome): Promise<void> {
    const runId = executor.execution?.runId;
    this.#executors.delete(executor);
    this.#settle(executor, outcome);
    await killModelProcess(executor.child);
    // what cannot be removed goes at the next start of the service
    if (runId !== undefined) await this.#files.removeWork(runId).catch(() => {});
  }

  #settle(executor: Executor, outcome: Outcome): void {
    const { execution } = executor;
    executor.execution = undefined;
    clearTimeout(execution?.timer);
    execution?.settle(outcome);
  }
}
