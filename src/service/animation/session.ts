import { randomUUID } from 'node:crypto';
import { messageOf } from '../../errors.ts';
import { ownModule } from '../../package/own-files.ts';
import { Deferred } from '../deferred.ts';
import { ServiceError } from '../errors.ts';
import {
  crashed,
  endModelProcess,
  memoryFor,
  type ModelProcess,
  type ModelProcessOptions,
  printedIsRead,
  reasonOfExit,
  startModelProcess,
} from '../executors/process.ts';
import { LogCollector } from '../executors/run-log.ts';
import type { ViewArea } from '../models/model.ts';
import type { Ending as RunEnding } from '../runs/feed.ts';
import type { AnimationData, AnimationReport, Command, Frame, Question } from './protocol.ts';

/** How an animated run ended. */
export type Ending = WithoutId<Exclude<RunEnding, { status: 'FRESH' }>>;
type WithoutId<T> = T extends unknown ? Omit<T, 'runId'> : never;

export interface SessionOptions extends ModelProcessOptions {
  data: AnimationData;
  /** The finished share, 0 to 1. */
  onProgress: (fraction: number) => void;
  /** Called once, when the run has ended. */
  onEnd: (ending: Ending) => void;
}

/**
 * One animated run: a process that runs and draws the model, and the state of the run. The process ends with the run.
 * The session keeps the last picture.
 */
export class Session {
  /** A random id that gives access to the run. It is never logged or stored. */
  readonly uuid = randomUUID();
  /**
   * Resolves when the run has started and there is a picture. Rejects with the reason if the run ends before that. The
   * error is a Deferred if the run could not be executed for a reason outside the model.
   */
  readonly started: Promise<void>;
  readonly #options: SessionOptions;
  readonly #model: ModelProcess;
  readonly #log: LogCollector;
  /** The requests that wait for a picture, in their order. */
  readonly #waiting: ((frame: Frame) => void)[] = [];
  #isReady = false;
  /** Whether the run could not be executed for a reason outside the model. */
  #isDeferred = false;
  /** The questions that wait for an answer of the scene, by their number. */
  readonly #asked = new Map<number, PromiseWithResolvers<string>>();
  /** The number of the last question. */
  #questions = 0;
  #frame: Frame | undefined;
  #ending: Ending | undefined;
  #paused = false;
  #speed: number;

  /** @throws Error of the system, when no process can be started */
  constructor(options: SessionOptions) {
    this.#options = options;
    this.#speed = options.data.animation.speed;
    this.started = new Promise((resolve, reject) => {
      // called with the first picture, or at the end of a run without a picture
      this.#waiting.push(() => (this.#frame ? resolve() : reject(this.#whyNotStarted())));
    });
    const memory = memoryFor(options.data.job, options.memory);
    const { runId } = options.data.job;
    this.#log = new LogCollector((line, number) => options.onLine(line, number, runId));
    this.#model = startModelProcess(
      ownModule('src/service/animation/animator'),
      { ...options, memory },
      (stream, text) => this.#log.add(stream, text),
      // a speed may be infinite, and the times and values of a scene are any numbers
      'advanced',
    );
    this.#model.child.on('message', (report: AnimationReport) => this.#handleReport(report));
    this.#model.child.on('error', (error) => void this.#fail(crashed(messageOf(error)), messageOf(error)));
    this.#model.child.on(
      'exit',
      (_code, signal) => void this.#fail(reasonOfExit(signal, memory), 'its process ended while it started'),
    );
    this.#tell(options.data);
  }

  get ending(): Ending | undefined {
    return this.#ending;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** The scene's time per second; may be Infinity. */
  get speed(): number {
    return this.#speed;
  }

  /** Returns the current picture of the run; after the end, the last picture. Call it only after `started`. */
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

  /** Draws only a part of the picture, or all of it again. */
  show(area: ViewArea | null): void {
    this.#tell({ kind: 'view', area });
  }

  /**
   * Asks the scene for a value, asks it to set one, or asks it to call a function. Returns JSON text.
   *
   * @throws ServiceError ANIMATION_ENDED, COMMAND_REFUSED with the model's reason
   */
  ask(question: Question): Promise<string> {
    if (this.#ending) return Promise.reject(ended());
    const id = (this.#questions += 1);
    const answer = Promise.withResolvers<string>();
    this.#asked.set(id, answer);
    this.#tell({ ...question, id });
    return answer.promise;
  }

  /** Ends the run, if it has not ended yet. Its process is gone when the promise resolves. */
  async end(ending: Ending): Promise<void> {
    if (!this.#ending) {
      this.#ending = ending;
      this.#options.onEnd(ending);
      for (const answer of this.#waiting.splice(0)) answer(this.#frame!);
      for (const { reject } of this.#asked.values()) reject(ended());
      this.#asked.clear();
    }
    await endModelProcess(this.#model);
  }

  #tell(message: AnimationData | Command): void {
    // a process without a channel has ended or is ending, and the run ends with it
    if (this.#model.child.connected) this.#model.child.send(message, () => {});
  }

  #handleReport(report: AnimationReport): void {
    if (this.#ending) return;
    switch (report.kind) {
      case 'frame':
        this.#frame = report.frame;
        return this.#waiting.shift()?.(report.frame);
      case 'progress':
        return this.#options.onProgress(report.fraction);
      case 'answer':
        this.#take(report.id)?.resolve(report.text);
        return;
      case 'refused':
        this.#take(report.id)?.reject(
          new ServiceError('COMMAND_REFUSED', `The model refuses the command: ${report.reason}.`),
        );
        return;
      case 'completed':
        this.#frame = report.frame;
        return void this.end({ status: 'COMPLETED', outputs: report.outputs });
      case 'failed':
        return void this.#fail(report.reason, report.reason);
      case 'ready':
        this.#isReady = true;
        return;
      case 'deferred':
        return this.#defer(report.reason);
    }
  }

  #take(id: number): PromiseWithResolvers<string> | undefined {
    const answer = this.#asked.get(id);
    this.#asked.delete(id);
    return answer;
  }

  /** @param reasonBefore - the reason if the process is not ready yet: the run is then stopped, and does not fail */
  async #fail(reason: string, reasonBefore: string): Promise<void> {
    if (!this.#isReady) return this.#defer(reasonBefore);
    if (!this.#ending) await printedIsRead();
    await this.end({ status: 'FAILED', reason, log: this.#log.end() });
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

function ended(): ServiceError {
  return new ServiceError(
    'ANIMATION_ENDED',
    'The animated run is over, and its values and functions are gone: start a new animated run.',
  );
}
