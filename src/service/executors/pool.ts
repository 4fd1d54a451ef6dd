import { messageOf } from '../../errors.ts';
import { ownModule } from '../../package/own-files.ts';
import { Hold } from '../backoff.ts';
import { ContentFiles } from '../files/content.ts';
import { isModule } from '../models/folder.ts';
import {
  type BareOutcome,
  type Executor,
  type Execution,
  messageOfJob,
  type Outcome,
  type Task,
} from './execution.ts';
import {
  crashed,
  endModelProcess,
  memoryFor,
  type ModelProcessOptions,
  printedIsRead,
  reasonOfExit,
  startModelProcess,
} from './process.ts';
import type { Crashed, Job, Report } from './protocol.ts';
import { LogCollector } from './run-log.ts';

/** The options of a pool. The `{MAX_MEMORY_MB}` of a run may lower `memory` for this run. */
export interface PoolOptions extends ModelProcessOptions {
  /** How many runs execute at once. */
  size: number;
  /** The time limit of a run, in seconds. */
  timeout: number | undefined;
  /**
   * Called when outputs of a version have depended on earlier runs (see `Leaky`). Each later run of it gets a process of
   * its own.
   */
  onLeaky?: (versionId: string, difference: string) => void;
}

/**
 * Executors: processes that each execute one run at a time. A process is started when it is needed. It is usually kept
 * for the next run, but killed if its run was stopped, was deferred or reached the time limit. When a process ends by
 * itself, its run fails. But earlier runs of the process may be the reason: an error after their end, or their data in
 * memory. Then the run executes once more in a new process. If no process can be started, each further attempt waits
 * longer, up to 5 s.
 */
export class ExecutorPool {
  readonly #options: PoolOptions;
  readonly #files: ContentFiles;
  readonly #executors = new Set<Executor>();
  /** The number of runs that have room, and wait for the end of their earlier attempt. */
  #expected = 0;
  /** The ends of executors whose run may be executed again meanwhile, by the id of the run. */
  readonly #clearing = new Map<string, Promise<void>>();
  /** The versions whose outputs have depended on earlier runs here. */
  readonly #leaky = new Set<string>();
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

  get size(): number {
    return this.#options.size;
  }

  /** How many more runs can be executed now. */
  room(): number {
    const free = this.#free().length;
    if (this.#starts.isHeld) return this.#isBlocked ? 0 : free;
    const startable = Math.max(0, this.#options.size - this.#executors.size);
    return Math.max(0, free + startable - this.#expected);
  }

  /** Runs a job on a free or new executor; never rejects. Call only when there is room. */
  async execute(job: Job, onProgress: (fraction: number) => void): Promise<Outcome> {
    // an earlier attempt of the run has the same working folder
    const clearing = this.#clearing.get(job.runId);
    if (clearing) {
      // other runs must not take the room of this run meanwhile
      this.#expected += 1;
      try {
        await clearing;
      } finally {
        this.#expected -= 1;
      }
    }
    return new Promise((settle) =>
      this.#begin({ job, onProgress, settle }, () =>
        this.#acquire(memoryFor(job, this.#options.memory), job.versionId),
      ),
    );
  }

  /**
   * Ends the process that executes the run, if any. A program first gets the signal SIGTERM and two seconds. Another
   * run may take its place immediately. Resolves when the process has ended and its working folder is removed, unless
   * the folder stays.
   */
  async stop(runId: string): Promise<void> {
    // if the run waits for the end of its earlier attempt, it begins then
    const clearing = this.#clearing.get(runId);
    if (clearing) await clearing;
    const executor = [...this.#executors].find(({ execution }) => execution?.job.runId === runId);
    if (executor) await this.#end(executor, { kind: 'ended' }, true);
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

  #begin({ job, onProgress, settle }: Task, acquire: () => Executor): void {
    try {
      const executor = acquire();
      const log = this.#logOf(job.runId);
      // the start of a process takes no time of its run
      const timer = executor.isReady ? this.#limitTime(executor) : undefined;
      const isAlone = job.isAlone === true || this.#leaky.has(job.versionId);
      executor.execution = { job: { ...job, isAlone }, onProgress, settle, log, timer };
      executor.versionId = job.versionId;
      // a process that could not be started has no channel, and an event reports its end
      if (!executor.child.connected) return;
      executor.child.send(messageOfJob(executor, executor.execution.job), (error) => {
        if (!error) return;
        // a job that was not sent has not begun
        if (executor.isUsed) void this.#lose(executor, error.message, error.message);
        else void this.#end(executor, { kind: 'unstarted', reason: error.message });
      });
    } catch (error) {
      this.#starts.hold();
      settle({ kind: 'unstarted', reason: messageOf(error) });
    }
  }

  #logOf(runId: string): LogCollector {
    return new LogCollector((line, number) => this.#options.onLine(line, number, runId));
  }

  /** Executors without a run, except those whose process has just ended. */
  #free(): Executor[] {
    return [...this.#executors].filter(({ execution, child }) => !execution && child.connected);
  }

  /**
   * Returns a free executor with this memory limit, if possible one that may still have the version loaded. If there is
   * none, it starts one, perhaps in place of a free executor with another limit.
   *
   * @throws Error if none fits and no process can be started
   */
  #acquire(memory: number, versionId: string): Executor {
    const free = this.#free();
    const fitting =
      free.find((executor) => executor.memory === memory && executor.versionId === versionId) ??
      free.find((executor) => executor.memory === memory);
    if (fitting) return fitting;
    if (this.#starts.isHeld) {
      this.#isBlocked = true;
      throw new Error('no process could be started a moment ago');
    }
    const isFull = this.#executors.size >= this.#options.size;
    const made = this.#make(memory);
    // there is no spare one if a process has ended while a run was prepared for it
    const spare = free[0];
    if (isFull && spare) void this.#end(spare, { kind: 'ended' });
    return made;
  }

  #limitTime(executor: Executor): NodeJS.Timeout | undefined {
    const { timeout } = this.#options;
    if (timeout === undefined) return undefined;
    const reason = `it ran longer than the time limit of the service: ${timeout} s`;
    return setTimeout(() => void this.#end(executor, { kind: 'failed', reason }, true), timeout * 1_000);
  }

  #make(memory: number): Executor {
    const { child, mark } = startModelProcess(
      ownModule('src/service/executors/executor'),
      { ...this.#options, memory },
      (stream, text) => executor.execution?.log.add(stream, text),
    );
    const executor: Executor = {
      child,
      mark,
      memory,
      versionId: undefined,
      execution: undefined,
      known: new Set<string>(),
      isReady: false,
      isUsed: false,
      isLost: false,
      isOld: false,
    };
    this.#executors.add(executor);
    const lose = (reason: string, whyNotStarted: string): void =>
      void this.#lose(executor, reason, whyNotStarted);
    child.on('message', (report: Report) => void this.#handleReport(executor, report));
    child.on('error', (error) => lose(crashed(messageOf(error)), messageOf(error)));
    child.on('exit', (code, signal) =>
      lose(reasonOfExit(signal, memory), `it ended with ${signal ?? code} while it started`),
    );
    return executor;
  }

  /**
   * Handles the end of an executor. Its run has failed only if the executor had started, and if no earlier run can be
   * the reason.
   *
   * @param reason - why the run failed, if the executor had started
   * @param whyNotStarted - why the executor has not started, otherwise
   * @param culprit - the run that is the reason, if it is known
   */
  async #lose(executor: Executor, reason: string, whyNotStarted: string, culprit?: string): Promise<void> {
    if (!this.#executors.has(executor) || executor.isLost) return;
    executor.isLost = true;
    if (!executor.isReady) {
      this.#starts.hold();
      return this.#end(executor, { kind: 'unstarted', reason: whyNotStarted });
    }
    if (executor.execution) await printedIsRead();
    // the run may have ended meanwhile
    const { execution } = executor;
    if (execution && executor.isUsed && culprit !== execution.job.runId)
      return this.#repeat(executor, execution);
    await this.#end(executor, { kind: 'failed', reason });
    // the dispatcher may have found no free executor while this one ended
    if (!execution) this.#onRoom();
  }

  /** Executes the run of an executor again in a new process, which no earlier run can disturb. */
  async #repeat(executor: Executor, execution: Execution): Promise<void> {
    await this.#clear(executor, execution);
    // the run may have been stopped meanwhile
    if (executor.execution !== execution) return;
    this.#executors.delete(executor);
    clearTimeout(execution.timer);
    this.#begin(execution, () => this.#make(executor.memory));
  }

  async #handleReport(executor: Executor, report: Report): Promise<void> {
    const { execution } = executor;
    if (executor.isLost) return;
    switch (report.kind) {
      case 'ready':
        executor.isReady = true;
        if (execution) execution.timer = this.#limitTime(executor);
        return this.#starts.reset();
      case 'loading':
        return clearTimeout(execution?.timer);
      case 'loaded':
        if (execution) execution.timer = this.#limitTime(executor);
        return;
      case 'leaky':
        if (this.#leaky.has(report.versionId)) return;
        this.#leaky.add(report.versionId);
        return this.#options.onLeaky?.(report.versionId, report.difference);
      case 'progress':
        // an earlier run may still report
        if (execution?.job.runId === report.runId) execution.onProgress(report.fraction);
        return;
      case 'dropped':
        return execution?.log.drop(report.lines);
      case 'crashed':
        this.#logLate(report);
        return this.#lose(executor, crashed(report.reason), report.reason, report.runId);
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

  async #end(executor: Executor, ending: BareOutcome, isGentle = false): Promise<void> {
    const { execution } = executor;
    this.#executors.delete(executor);
    this.#settle(executor, ending);
    await this.#clear(executor, execution, isGentle);
  }

  /** Ends a process, and removes the working folder of its run. A next attempt of the run waits for this. */
  async #clear(executor: Executor, execution: Execution | undefined, isGentle = false): Promise<void> {
    const cleared = this.#endProcess(executor, execution, isGentle);
    if (!execution) return cleared;
    const { runId } = execution.job;
    this.#clearing.set(runId, cleared);
    await cleared.finally(() => this.#clearing.get(runId) === cleared && this.#clearing.delete(runId));
  }

  async #endProcess(executor: Executor, execution: Execution | undefined, isGentle: boolean): Promise<void> {
    // only a program of a command model can end gently
    const isProgram = execution !== undefined && !isModule(execution.job.code.entry);
    const folders = [this.#files.executorPath(executor.mark)];
    if (execution) folders.push(this.#files.workPath(execution.job.runId));
    await endModelProcess(executor, folders, isGentle && isProgram);
    // files that cannot be removed now are removed at the next start of the service
    await this.#files.removeExecutor(executor.mark).catch(() => {});
    // the service removes the working folder if it keeps the folders of failed runs
    if (!execution || execution.job.keepIn !== undefined) return;
    await this.#files.removeWork(execution.job.runId).catch(() => {});
  }

  /** Logs an error of a run that had ended before, with the id of this run. */
  #logLate({ runId, late }: Crashed): void {
    if (runId === undefined || late === undefined) return;
    this.#logOf(runId).add('stderr', `An error after the end of this run: ${late}\n`);
  }

  #settle(executor: Executor, ending: BareOutcome): void {
    const { execution } = executor;
    if (!execution) return;
    executor.execution = undefined;
    executor.isUsed = true;
    clearTimeout(execution.timer);
    execution.settle(ending.kind === 'failed' ? { ...ending, log: execution.log.end() } : ending);
  }
}
