import type { ChildProcess } from 'node:child_process';
import type { RunLog } from '../../api/extensions.ts';
import { messageOf } from '../../errors.ts';
import { ownModule } from '../../package/own-files.ts';
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
import type { Job, JobMessage, Report } from './protocol.ts';
import { LogCollector } from './run-log.ts';

/**
 * How an execution ended. `ended`: `stop` or `close` ended its process. `unstarted`: no process could be started for
 * it, or the job did not reach the process.
 */
export type Outcome =
  | Extract<Report, { kind: 'completed' | 'deferred' }>
  | (Extract<Report, { kind: 'failed' }> & { log: RunLog })
  | { kind: 'unstarted'; reason: string }
  | { kind: 'ended' };

/** The end of an execution. A failure gets its log later. */
type Ending =
  | Extract<Report, { kind: 'completed' | 'failed' | 'deferred' }>
  | Extract<Outcome, { kind: 'unstarted' | 'ended' }>;

interface Execution {
  runId: string;
  onProgress: (fraction: number) => void;
  settle: (outcome: Outcome) => void;
  log: LogCollector;
  /** Whether the working folder stays after the execution. The service then removes it. */
  keepsWork: boolean;
  /** The timer of its time limit. */
  timer: NodeJS.Timeout | undefined;
}

interface Executor {
  child: ChildProcess;
  /** The memory limit of its run, in MB. */
  memory: number;
  execution: Execution | undefined;
  /** Ids of the versions whose data it has received. */
  known: Set<string>;
  /** Whether it has started. From then on its end is a failure of its run. */
  isReady: boolean;
  /** Whether the executor ends after its current run. */
  isOld: boolean;
}

/** The options of a pool. The `{MAX_MEMORY_MB}` of a run may lower `memory` for this run. */
export interface PoolOptions extends ModelProcessOptions {
  /** How many runs execute at once. */
  size: number;
  /** The time limit of a run, in seconds. */
  timeout: number | undefined;
}

/**
 * Executors: processes that each execute one run at a time. A process is started when it is needed. It is usually kept
 * for the next run, but killed if its run was stopped, was deferred or reached the time limit. When a process crashes,
 * only its run fails. If no process can be started, each further attempt waits longer, up to 5 s.
 */
export class ExecutorPool {
  readonly #options: PoolOptions;
  readonly #files: ContentFiles;
  readonly #executors = new Set<Executor>();
  /** Delays the start of processes after a failure. */
  readonly #starts = new Hold(() => {
    this.#isBlocked = false;
    this.#onRoom();
  });
  /** True while starts are delayed and a run needs a new process. The runs behind it wait as well. */
  #isBlocked = false;
  #onRoom: () => void = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#files = new ContentFiles(options.filesDir, options.unfinishedDir);
  }

  /** @param callback - called when processes can start again after a failure, and when an idle process has ended */
  whenRoom(callback: () => void): void {
    this.#onRoom = callback;
  }

  /** How many runs execute at once, at most. */
  get size(): number {
    return this.#options.size;
  }

  /** How many more runs can be executed now. */
  room(): number {
    const free = this.#free().length;
    if (this.#starts.isHeld) return this.#isBlocked ? 0 : free;
    return free + Math.max(0, this.#options.size - this.#executors.size);
  }

  /** Runs a job on a free or new executor; never rejects. Call only when there is room. */
  execute(job: Job, onProgress: (fraction: number) => void): Promise<Outcome> {
    return new Promise((settle) => {
      const { runId } = job;
      try {
        const executor = this.#acquire(memoryFor(job, this.#options.memory));
        executor.execution = {
          runId,
          onProgress,
          settle,
          log: new LogCollector((line, number) => this.#options.onLine(line, number, runId)),
          keepsWork: job.keepIn !== undefined,
          timer: this.#limitTime(executor),
        };
        // a process that could not be started has no channel, and an event reports its end
        if (executor.child.connected) {
          // a job that was not sent has not begun
          executor.child.send(
            messageOfJob(executor, job),
            (error) => error && void this.#end(executor, { kind: 'unstarted', reason: error.message }),
          );
        }
      } catch (error) {
        this.#starts.hold();
        settle({ kind: 'unstarted', reason: messageOf(error) });
      }
    });
  }

  /**
   * Kills the process that executes the run, if any. Another run may take its place immediately. Resolves when the
   * process has ended and its working folder is removed, unless the folder stays.
   */
  async stop(runId: string): Promise<void> {
    const executor = [...this.#executors].find(({ execution }) => execution?.runId === runId);
    if (executor) await this.#end(executor, { kind: 'ended' });
  }

  /** Makes sure that later runs do not execute in a process with a model's earlier code. */
  renew(): void {
    for (const executor of this.#executors) {
      if (executor.execution) executor.isOld = true;
      else void this.#end(executor, { kind: 'ended' });
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#executors].map((executor) => this.#end(executor, { kind: 'ended' })));
  }

  /** Executors without a run, except those whose process has just ended. */
  #free(): Executor[] {
    return [...this.#executors].filter(({ execution, child }) => !execution && child.connected);
  }

  /**
   * Returns a free executor with this memory limit. If there is none, it starts one, perhaps in place of a free
   * executor with another limit.
   *
   * @throws Error if none fits and no process can be started
   */
  #acquire(memory: number): Executor {
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
    const reason = `it ran longer than the time limit of the service: ${timeout} s`;
    return setTimeout(() => void this.#end(executor, { kind: 'failed', reason }), timeout * 1_000);
  }

  #make(memory: number): Executor {
    const child = startModelProcess(
      ownModule('src/service/executors/executor'),
      { ...this.#options, memory },
      (stream, text) => executor.execution?.log.add(stream, text),
    );
    const executor: Executor = {
      ...{ child, memory, execution: undefined, known: new Set<string>(), isReady: false, isOld: false },
    };
    this.#executors.add(executor);
    const lose = (reason: string, why: string): void => void this.#lose(executor, reason, why);
    child.on('message', (report: Report) => void this.#handleReport(executor, report));
    child.on('error', (error) => lose(crashed(messageOf(error)), messageOf(error)));
    child.on('exit', (code, signal) =>
      lose(reasonOfExit(signal, memory), `it ended with ${signal ?? code} while it started`),
    );
    return executor;
  }

  /**
   * Handles the end of an executor. Its run has failed only if the executor had started.
   *
   * @param why - why it has not started, if that is the case
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
    // the dispatcher may have found no free executor while this one ended
    if (isIdle) this.#onRoom();
  }

  async #handleReport(executor: Executor, report: Report): Promise<void> {
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
        // the process may have loaded only a part of the model
        return this.#end(executor, report);
      case 'completed':
      case 'failed':
        await printedIsRead();
        // the run may have been stopped meanwhile
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
    // files that cannot be removed now are removed at the next start of the service
    await this.#files.removeWork(execution.runId).catch(() => {});
  }

  #settle(executor: Executor, ending: Ending): void {
    const { execution } = executor;
    if (!execution) return;
    executor.execution = undefined;
    clearTimeout(execution.timer);
    execution.settle(ending.kind === 'failed' ? { ...ending, log: execution.log.end() } : ending);
  }
}

function messageOfJob({ known }: Executor, { code, template, isElsewhere, ...run }: Job): JobMessage {
  if (known.has(run.versionId)) return { run };
  known.add(run.versionId);
  return { run, version: { code, template, ...(isElsewhere !== undefined && { isElsewhere }) } };
}
