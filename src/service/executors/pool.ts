import { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import { modelEnvironment } from './environment.ts';
import type { Job, Report, ThreadData } from './protocol.ts';

/** How an execution ended; `ended` when its thread was ended from outside, by `stop` or `close`. */
export type Outcome = Exclude<Report, { kind: 'progress' }> | { kind: 'ended' };

interface Execution {
  runId: string;
  onProgress: (fraction: number) => void;
  settle: (outcome: Outcome) => void;
}

interface Executor {
  thread: Worker;
  execution: Execution | undefined;
}

export interface PoolOptions {
  /** How many runs execute at once. */
  size: number;
  filesDir: string;
  /** What models print. */
  onPrint: (text: string) => void;
}

/**
 * Executors: threads that run one run at a time each. A thread is made when it is first needed, kept for the next run,
 * and ended at once when its run is stopped. One that breaks fails its run and nothing else.
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
    const executor = this.#findFree() ?? this.#make();
    return new Promise((settle) => {
      executor.execution = { runId: job.runId, onProgress, settle };
      executor.thread.postMessage(job);
    });
  }

  /** Ends the thread that runs the run, if one does; its place is free at once. */
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

  #make(): Executor {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: { filesDir: this.#options.filesDir } satisfies ThreadData,
      env: modelEnvironment(),
      stdout: true,
      stderr: true,
    });
    const executor: Executor = { thread, execution: undefined };
    this.#executors.add(executor);
    for (const stream of [thread.stdout, thread.stderr]) {
      stream.setEncoding('utf8').on('data', this.#options.onPrint);
    }
    thread.on('message', (report: Report) => this.#heed(executor, report));
    thread.on('error', (error) => void this.#end(executor, crashed(messageOf(error))));
    thread.on('exit', () => void this.#end(executor, crashed('it ended its thread')));
    return executor;
  }

  #heed(executor: Executor, report: Report): void {
    if (report.kind === 'progress') return executor.execution?.onProgress(report.fraction);
    this.#settle(executor, report);
  }

  async #end(executor: Executor, outcome: Outcome): Promise<void> {
    this.#executors.delete(executor);
    this.#settle(executor, outcome);
    await executor.thread.terminate();
  }

  #settle(executor: Executor, outcome: Outcome): void {
    const { execution } = executor;
    executor.execution = undefined;
    execution?.settle(outcome);
  }
}

function crashed(why: string): Outcome {
  return { kind: 'failed', reason: `the model crashed: ${why}` };
}
