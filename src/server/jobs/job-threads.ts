import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { FastifyReply } from 'fastify';
import type { Settings } from '../../client/index.ts';
import { ownModule } from '../../package/own-files.ts';
import { goneSignal } from '../gone.ts';
import { ServerError } from '../server-error.ts';
import type { Shares } from '../shares.ts';
import type { Gives, JobName, JobOrder, Outcome, Takes } from './jobs.ts';
import { fromPosted } from './posted-errors.ts';

/** The maximum number of threads. A thread does one job at a time. */
const MOST_THREADS = 3;
/** The maximum number of jobs that run for one key at once, so that a thread stays free for the other keys. */
const MOST_OF_KEY = 2;
/** How often it is checked whether a job takes too long, and whether somebody still needs it, ms. */
const LOOK = 500;
/** A thread without a job ends after this time, ms. */
const IDLE = 60_000;

/** What jobs of one kind may use. */
export interface JobLimits {
  /** What the jobs work on, as an error names it. */
  of: string;
  /** What else the user can do, as a sentence. */
  hint: string;
  /** The maximum CPU time of a job, ms. Waiting for the model service does not count. */
  cpu: number;
  /** The maximum memory of a thread, MB. */
  memory: number;
}

/** A definition is text from outside. It has to be small. */
export const definitionLimits: JobLimits = {
  of: 'This definition',
  hint: 'Make it smaller, or use the command line: "foray submit" has no such limit.',
  cpu: 20_000,
  memory: 512,
};
/** Results are the user's own, and the report of a million runs takes a minute of CPU time. */
export const resultLimits: JobLimits = {
  of: 'This answer',
  hint: 'Ask for fewer outputs, or use the command line on the machine of the store: its commands have no such limit.',
  cpu: 300_000,
  memory: 2_048,
};

/** What a thread gets when it starts. */
export interface ThreadData {
  settings: Settings;
  /** The folder for temporary files. It is removed when the thread ends in any way. */
  folder: string;
}

interface Job {
  keyHash: string;
  order: JobOrder;
  done: PromiseWithResolvers<unknown>;
  gone: AbortSignal | undefined;
}

interface Thread {
  worker: Worker;
  job: Job | undefined;
  idle: NodeJS.Timeout | undefined;
}

/** Threads for computations. A job that takes too much time or memory ends with its thread, and other jobs go on. */
export class JobThreads {
  readonly #settings: Settings;
  readonly #shares: Shares;
  readonly #limits: JobLimits;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Job[] = [];

  constructor(settings: Settings, shares: Shares, limits: JobLimits) {
    this.#settings = settings;
    this.#shares = shares;
    this.#limits = limits;
  }

  /**
   * Does a job in a thread. Jobs wait for a free thread in the order of their requests.
   *
   * @param keyHash - the hash of the key of the request
   * @param gone - aborts when nobody needs the job any more; a job that takes long then ends. Without it, only the limits
   * end the job
   * @throws ServerError TOO_LARGE if the job takes too much time or memory; TOO_MANY if too many jobs of the key run or
   * wait; the errors of the job
   */
  async run<K extends JobName>(
    keyHash: string,
    name: K,
    takes: Takes<K>,
    gone?: AbortSignal,
  ): Promise<Gives<K>> {
    const giveBack = this.#shares.take('jobs', keyHash);
    const done = Promise.withResolvers<unknown>();
    const job = { keyHash, order: { job: name, takes }, done, gone };
    const leave = (): void => {
      const at = this.#waiting.indexOf(job);
      if (at === -1) return;
      this.#waiting.splice(at, 1);
      done.reject(clientGone());
    };
    try {
      this.#waiting.push(job);
      if (gone?.aborted) leave();
      gone?.addEventListener('abort', leave);
      this.#startJobs();
      return (await done.promise) as Gives<K>;
    } finally {
      gone?.removeEventListener('abort', leave);
      giveBack();
    }
  }

  /** Does a job for an answer: with the key of its request, and until its client has gone. */
  runFor<K extends JobName>(reply: FastifyReply, name: K, takes: Takes<K>): Promise<Gives<K>> {
    return this.run(reply.request.keyHash!, name, takes, goneSignal(reply));
  }

  async close(): Promise<void> {
    for (const { done } of this.#waiting.splice(0)) done.reject(new Error('the server ends'));
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #startJobs(): void {
    for (;;) {
      const at = this.#waiting.findIndex(({ keyHash }) => this.#runningOf(keyHash) < MOST_OF_KEY);
      if (at === -1) return;
      const free = [...this.#threads].find(({ job }) => job === undefined);
      if (!free && this.#threads.size >= MOST_THREADS) return;
      const [job] = this.#waiting.splice(at, 1);
      try {
        this.#start(free ?? this.#newThread(), job!);
      } catch (error) {
        // the folder of a thread cannot be made on a full disk
        job!.done.reject(error);
      }
    }
  }

  #runningOf(keyHash: string): number {
    return [...this.#threads].filter(({ job }) => job?.keyHash === keyHash).length;
  }

  #start(thread: Thread, job: Job): void {
    clearTimeout(thread.idle);
    thread.job = job;
    thread.worker.ref();
    thread.worker.postMessage(job.order);
    void this.#watch(thread, job);
  }

  /** Ends the thread if its job takes too long, or nobody needs it. */
  async #watch(thread: Thread, job: Job): Promise<void> {
    /** The CPU time of the thread, ms. */
    const cpu = async (): Promise<number> => {
      // a thread that has ended has no CPU time
      const { user, system } = await thread.worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
      return (user + system) / 1_000;
    };
    const before = await cpu();
    while (thread.job === job) {
      const isTooLong = (await cpu()) - before > this.#limits.cpu;
      if (thread.job !== job) return;
      // a short job is not ended, because a new thread would cost more
      if (job.gone?.aborted) return this.#end(thread, clientGone());
      if (isTooLong) return this.#end(thread, this.#tooHard('takes too long'));
      await delay(LOOK, undefined, { ref: false });
    }
  }

  #newThread(): Thread {
    const folder = mkdtempSync(join(tmpdir(), 'foray-jobs-'));
    const worker = new Worker(ownModule('src/server/jobs/job-thread'), {
      workerData: { settings: this.#settings, folder } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memory },
    });
    const thread: Thread = { worker, job: undefined, idle: undefined };
    this.#threads.add(thread);
    worker.on('message', (outcome: Outcome) => {
      const { job } = thread;
      thread.job = undefined;
      worker.unref();
      thread.idle = setTimeout(() => this.#end(thread), IDLE).unref();
      if ('error' in outcome) job?.done.reject(fromPosted(outcome.error));
      else job?.done.resolve(outcome.gives);
      this.#startJobs();
    });
    worker.on('error', (error) => {
      const isMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#end(thread, isMemory ? this.#tooHard('takes too much memory') : (error as Error));
    });
    worker.on('exit', () => {
      this.#end(thread, new Error('the thread of the job has ended'));
      rmSync(folder, { recursive: true, force: true });
    });
    return thread;
  }

  /** Ends a thread, and its job with an error if it has one. */
  #end(thread: Thread, error?: Error): void {
    clearTimeout(thread.idle);
    this.#threads.delete(thread);
    const { job } = thread;
    thread.job = undefined;
    void thread.worker.terminate();
    if (error) job?.done.reject(error);
    this.#startJobs();
  }

  #tooHard(why: string): ServerError {
    const { of, hint } = this.#limits;
    return new ServerError('TOO_LARGE', `${of} ${why} for this server.`, { hint });
  }
}

/** Nobody reads this error. */
function clientGone(): ServerError {
  return new ServerError('BAD_REQUEST', 'The client has closed the connection.');
}
