import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { messageOf } from '../../errors.ts';
import { Deferred } from '../executors/deferred.ts';
import {
  crashed,
  killModelProcess,
  memoryFor,
  type ModelProcessOptions,
  reasonOfExit,
  startModelProcess,
} from '../executors/process.ts';
import type { Ending as RunEnding } from '../runs/recorder.ts';
import type { AnimationData, AnimationReport, Command, Frame } from './protocol.ts';

/** How an animated run ended. */
export type Ending = Exclude<RunEnding, { status: 'FRESH' }>;

export interface SessionOptions extends ModelProcessOptions {
  data: AnimationData;
  /** Share done, 0 to 1. */
  onProgress: (fraction: number) => void;
  /** Called once. */
  onEnd: (ending: Ending) => void;
}

/**
 * One animated run: a process that runs and draws the model, and what is known of it. The process ends with the run; the
 * last picture stays.
 */
export class Session {
  /** Random, and all that is needed to look at the run and to steer it. Never logged or stored. */
  readonly uuid = randomUUID();
  /**
   * When the run has started there is a picture; rejects with the reason when it ends before that, a Deferred when that is no
   * fault of the model.
   */
  readonly started: Promise<void>;
  readonly #options: SessionOptions;
  readonly #process: ChildProcess;
  /** Those that wait for a picture, in the order in which they asked. */
  readonly #waiting: ((frame: Frame) => void)[] = [];
  #isReady = false;
  /** Whether it could not be executed, through no fault of the model. */
  #isDeferred = false;
  #frame: Frame | undefined;
  #ending: Ending | undefined;
  #paused = false;
  #speed: number;

  /** @throws Error of the system, when no process can be started */
  constructor(options: SessionOptions) {
    this.#options = options;
    this.#speed = options.data.animation.speed;
    this.started = new Promise((resolve, reject) => {
      this.#waiting.push(() => (this.#frame ? resolve() : reject(this.#whyNotStarted())));
    });
    const memory = memoryFor(options.data.job, options.memory);
    this.#process = startModelProcess(new URL('./animator.ts', import.meta.url), { ...options, memory });
    this.#process.on('message', (report: AnimationReport) => this.#heed(report));
    this.#process.on('error', (error) => this.#fail(crashed(messageOf(error)), messageOf(error)));
    this.#process.on('exit', (_code, signal) =>
      this.#fail(reasonOfExit(signal, memory), 'its process ended while it started'),
    );
    this.#tell(options.data);
  }

  get ending(): Ending | undefined {
    return this.#ending;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** How much of the scene's time passes in a second; may be Infinity. */
  get speed(): number {
    return this.#speed;
  }

  /** The run as it is now; once it has ended the last picture. For a session that has started. */
  draw(): Promise<Frame> {
    if (this.#ending) return Promise.resolve(this.#frame!);
    this.#tell({ kind: 'draw' });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  pause(): void {
    this.#paused = true;
    this.#tell({ kind: 'pause' });
  }

  run(): void {
    this.#paused = false;
    this.#tell({ kind: 'run' });
  }

  setSpeed(speed: number): void {
    this.#speed = speed;
    this.#tell({ kind: 'speed', speed });
  }

  /** Ends the run, if it has not ended; its process is gone when the promise resolves. */
  async end(ending: Ending): Promise<void> {
    if (!this.#ending) {
      this.#ending = ending;
      this.#options.onEnd(ending);
      for (const answer of this.#waiting.splice(0)) answer(this.#frame!);
    }
    await killModelProcess(this.#process);
  }

  #tell(message: AnimationData | Command): void {
    // one that has ended, or is about to, is not told; the run ends with it
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  #heed(report: AnimationReport): void {
    if (this.#ending) return;
    switch (report.kind) {
      case 'frame':
        this.#frame = report.frame;
        return this.#waiting.shift()?.(report.frame);
      case 'progress':
        return this.#options.onProgress(report.fraction);
      case 'completed':
        this.#frame = report.frame;
        return void this.end({ status: 'COMPLETED', outputs: report.outputs });
      case 'failed':
        return this.#fail(report.reason, report.reason);
      case 'ready':
        this.#isReady = true;
        return;
      case 'deferred':
        return this.#defer(report.reason);
    }
  }

  /** @param why - why the process has not started, if it has not */
  #fail(reason: string, why: string): void {
    if (this.#isReady) void this.end({ status: 'FAILED', reason });
    else this.#defer(why);
  }

  #defer(reason: string): void {
    if (!this.#ending) this.#isDeferred = true;
    void this.end({ status: 'STOPPED', reason });
  }

  #whyNotStarted(): Error {
    const ending = this.#ending;
    const reason = (ending && 'reason' in ending && ending.reason) || 'it was stopped';
    return this.#isDeferred ? new Deferred(reason) : new Error(reason);
  }
}
