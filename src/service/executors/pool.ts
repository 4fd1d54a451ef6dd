import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { messageOf } from '../../errors.ts';
import { memoryOf } from '../models/system-inputs.ts';
import { modelEnvironment } from './environment.ts';
import { type Job, OUT_OF_MEMORY, type Report } from './protocol.ts';

/** How an execution ended; `ended` when its process was ended from outside, by `stop` or `close`. */
export type Outcome = Extract<Report, { kind: 'completed' | 'failed' }> | { kind: 'ended' };

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
}

export interface PoolOptions {
  /** How many runs execute at once. */
  size: number;
  filesDir: string;
  /** Most memory that a run may take, in MB; a run's `{MAX_MEMORY_MB}` may make it less. */
  memory: number;
  /** Longest that a run may execute, in seconds. */
  timeout: number | undefined;
  /** What models print. */
  onPrint: (text: string) => void;
}

/**
 * Executors: processes that run one run at a time each. (Threads would not do: V8 ends the whole process when one of
 * them needs more memory than there is.) A process is made when it is first needed, kept for the next run, and killed
 * when its run is stopped. One that breaks fails its run and nothing else.
 */
export class ExecutorPool {
  readonly #options: PoolOptions;
  readonly #executors = new Set<Executor>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  hasFree(): boolean {
    return this.#executors.size < this.#options.size || this.#findFree() !== undefined;
  }

  /** Runs a job on a free executor; never rejects. Call only when `hasFree`. */
  execute(job: Job, onProgress: (fraction: number) => void): Promise<Outcome> {
    const executor = this.#take(Math.min(this.#options.memory, memoryOf(job.inputs) ?? Infinity));
    return new Promise((settle) => {
      executor.execution = { runId: job.runId, onProgress, settle, timer: this.#limitTime(executor) };
      executor.child.send(job);
    });
  }

  /** Ends the process that runs the run, if one does; its place is free at once. */
  stop(runId: string): void {
    for (const executor of this.#executors) {
      if (executor.execution?.runId === runId) void this.#end(executor, { kind: 'ended' });
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
    const args = [this.#options.filesDir, String(process.pid), String(memory)];
    const child = fork(new URL('./executor.ts', import.meta.url), args, {
      execArgv: [`--max-old-space-size=${memory}`],
      env: modelEnvironment(),
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // in a group of its own, so that a Ctrl-C reaches the service alone
      detached: true,
    });
    const executor: Executor = { child, memory, execution: undefined };
    this.#executors.add(executor);
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', this.#options.onPrint);
    }
    child.on('message', (report: Report) => this.#heed(executor, report));
    child.on('error', (error) => void this.#end(executor, crashed(messageOf(error))));
    child.on('exit', (_code, signal) => {
      // V8 aborts a process at the limit of its heap
      const isMemory = signal === 'SIGABRT' || signal === OUT_OF_MEMORY;
      void this.#end(executor, isMemory ? outOfMemory(memory) : crashed('it ended its process'));
    });
    return executor;
  }

  #heed(executor: Executor, report: Report): void {
    if (report.kind === 'progress') executor.execution?.onProgress(report.fraction);
    else if (report.kind === 'crashed') void this.#end(executor, crashed(report.reason));
    else this.#settle(executor, report);
  }

  async #end(executor: Executor, outcome: Outcome): Promise<void> {
    const { child } = executor;
    this.#executors.delete(executor);
    this.#settle(executor, outcome);
    // without a process id it was never started
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  #settle(executor: Executor, outcome: Outcome): void {
    const { execution } = executor;
    executor.execution = undefined;
    clearTimeout(execution?.timer);
    execution?.settle(outcome);
  }
}

function outOfMemory(limit: number): Outcome {
  return { kind: 'failed', reason: `it needed more memory than it may take: ${limit} MB` };
}

function crashed(why: string): Outcome {
  return { kind: 'failed', reason: `the model crashed: ${why}` };
}
