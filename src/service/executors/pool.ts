import type { ChildProcess } from 'node:child_process';
import type { RunLog } from '../../api/extensions.ts';
import { messageOf } from '../../errors.ts';
import { ownModule } from '../../own-files.ts';
import { Hold } from '../backoff.ts';
import { ContentFiles } from '../files/content.ts';
import {
  crashed,
  killModelProcess,
  memoryFor,
  type ModelProcessOptions,
  printedIsRead,
  reasonOfExit,
  startModelProcess,
} from './process.ts';
import type { Job, Report } from './protocol.ts';
import { RunPrints } from './run-log.ts';

/**
 * How an execution ended; `ended` when its process was ended from outside, by `stop` or `close`; `unstarted` when no
 * process could be started for it.
 */
export type Outcome =
  | Extract<Report, { kind: 'completed' | 'deferred' }>
  | (Extract<Report, { kind: 'failed' }> & { log: RunLog })
  | { kind: 'unstarted'; reason: string }
  | { kind: 'ended' };

/** What ends an execution; a failure gets its log when it is settled. */
type Ending =
  | Extract<Report, { kind: 'completed' | 'failed' | 'deferred' }>
  | Extract<Outcome, { kind: 'unstarted' | 'ended' }>;

interface Execution {
  runId: string;
  onProgress: (fraction: number) => void;
  settle: (outcome: Outcome) => void;
  prints: RunPrints;
  /** Whether the working folder is left to the service. */
  keepsWork: boolean;
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
  readonly #starts = new Hold(() => {
    this.#isBlocked = false;
    this.#onRoom();
  });
  /** While starts are held back: a run needs a process that is not there, and those behind it wait with it. */
  #isBlocked = false;
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
    const hasFree = this.#free().length > 0;
    if (this.#starts.isHeld) return hasFree && !this.#isBlocked;
    return hasFree || this.#executors.size < this.#options.size;
  }

  /** Runs a job on a free executor; never rejects. Call only when `hasFree`. */
  execute(job: Job, onProgress: (fraction: number) => void): Promise<Outcome> {
    return new Promise((settle) => {
      const { runId } = job;
      try {
        const executor = this.#take(memoryFor(job, this.#options.memory));
        executor.execution = {
          runId,
          onProgress,
          settle,
          prints: new RunPrints((line, number) => this.#options.onLine(line, number, runId)),
          keepsWork: job.keepIn !== undefined,
          timer: this.#limitTime(executor),
        };
        // a process that could not be started has no channel, and ends by the event that says so
        if (executor.child.connected) {
          // what it was not given it has not begun
          executor.child.send(
            job,
            (error) => error && void this.#end(executor, { kind: 'unstarted', reason: error.message }),
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

  /** Executors without a run; one whose process has just ended has none to give. */
  #free(): Executor[] {
    return [...this.#executors].filter(({ execution, child }) => !execution && child.connected);
  }

  /**
   * A free executor with that limit of memory, in the place of one with another if need be.
   *
   * @throws Error when none fits and no process can be started
   */
  #take(memory: number): Executor {
    const free = this.#free();
    const fitting = free.find((executor) => executor.memory === memory);
    if (fitting) return fitting;
    if (this.#starts.isHeld) {
      this.#isBlocked = true;
      throw new Error('no process could be started a moment ago');
    }
    const isFull = this.#executors.size >= this.#options.size;
    const made = this.#make(memory);
    if (isFull) void this.#end(free[0]!, { kind: 'ended' });
    return made;
  }

  #limitTime(executor: Executor): NodeJS.Timeout | undefined {
    const { timeout } = this.#options;
    if (timeout === undefined) return undefined;
    const reason = `it ran longer than the service lets a run: ${timeout} s`;
    return setTimeout(() => void this.#end(executor, { kind: 'failed', reason }), timeout * 1_000);
  }

  #make(memory: number): Executor {
    const child = startModelProcess(
      ownModule('src/service/executors/executor'),
      { ...this.#options, memory },
      (stream, text) => executor.execution?.prints.add(stream, text),
    );
    const executor: Executor = { child, memory, execution: undefined, isReady: false, isOld: false };
    this.#executors.add(executor);
    const lose = (reason: string, why: string): void => void this.#lose(executor, reason, why);
    child.on('message', (report: Report) => void this.#heed(executor, report));
    child.on('error', (error) => lose(crashed(messageOf(error)), messageOf(error)));
    child.on('exit', (code, signal) =>
      lose(reasonOfExit(signal, memory), `it ended with ${signal ?? code} while it started`),
    );
    return executor;
  }

  /**
   * An executor has ended by itself: that is its run's failure only if it had started.
   *
   * @param why - why it has not started, if it has not
   */
  async #lose(executor: Executor, reason: string, why: string): Promise<void> {
    if (!this.#executors.has(executor)) return;
    if (!executor.isReady) {
      this.#starts.hold();
      return this.#end(executor, { kind: 'unstarted', reason: why });
    }
    const isIdle = executor.execution === undefined;
    if (!isIdle) await printedIsRead();
    await this.#end(executor, { kind: 'failed', reason });
    // a look at the queue may have found no place while it was ending
    if (isIdle) this.#onRoom();
  }

  async #heed(executor: Executor, report: Report): Promise<void> {
    const { execution } = executor;
    switch (report.kind) {
      case 'ready':
        executor.isReady = true;
        return this.#starts.reset();
      case 'progress':
        return execution?.onProgress(report.fraction);
      case 'crashed':
        return this.#lose(executor, crashed(report.reason), report.reason);
      case 'deferred':
        // what it has loaded of the model may be a part
        return this.#end(executor, report);
      case 'completed':
      case 'failed':
        await printedIsRead();
        // it may have been stopped meanwhile
        if (executor.execution !== execution) return;
        if (executor.isOld) await this.#end(executor, report);
        else this.#settle(executor, report);
    }
  }

  async #end(executor: Executor, ending: Ending): Promise<void> {
    const { execution } = executor;
    this.#executors.delete(executor);
    this.#settle(executor, ending);
    await killModelProcess(executor.child);
    if (!execution || execution.keepsWork) return;
    // what cannot be removed goes at the next start of the service
    await this.#files.removeWork(execution.runId).catch(() => {});
  }

  #settle(executor: Executor, ending: Ending): void {
    const { execution } = executor;
    if (!execution) return;
    executor.execution = undefined;
    clearTimeout(execution.timer);
    execution.settle(ending.kind === 'failed' ? { ...ending, log: execution.prints.end() } : ending);
  }
}
