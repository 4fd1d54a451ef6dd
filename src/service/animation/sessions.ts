import type { RunRequest } from '../../api/resources.ts';
import { messageOf } from '../../errors.ts';
import { Deferred } from '../deferred.ts';
import { ServiceError } from '../errors.ts';
import type { ModelProcessOptions } from '../executors/process.ts';
import type { RunFiles } from '../files/run-files.ts';
import type { ModelCode } from '../models/folder.ts';
import type { ModelRegistry, ServedVersion } from '../models/registry.ts';
import type { Progress } from '../runs/progress.ts';
import type { Recorder } from '../runs/recorder.ts';
import type { Runs } from '../runs/runs.ts';
import type { OutputTexts, StoredRun } from '../runs/stored-run.ts';
import type { After } from '../timers.ts';
import type { AnimationData, Frame } from './protocol.ts';
import { type Ending as SessionEnding, Session, type SessionOptions } from './session.ts';

type Template = ServedVersion['experimentTemplate'];

/** The largest number of animated runs at the same time. Each run has its own process. */
export const MOST_SESSIONS = 8;
/** The maximum number of ended runs whose last picture is still available. */
const MOST_ENDED = 64;
/** How long a client should wait before it tries again when too many runs are animated, in seconds. */
const TRY_AGAIN = 60;
/** How long a client should wait before it tries again when an animated run cannot start now, in seconds. */
const TRY_SOON = 5;
/** Why a run is stopped when the service ends. */
const SERVICE_STOPPED = 'the model service was stopped';
/** How long an animated run continues while nobody renders it, in milliseconds (API specification, 8). */
export const RENDER_TIMEOUT = 5 * 60_000;

export interface SessionsParts {
  runs: Runs;
  registry: ModelRegistry;
  recorder: Recorder;
  progress: Progress;
  /** How the processes of animated runs are started. */
  processes: ModelProcessOptions;
  /** The store for the files of runs; undefined if these stay in the folder that executors read and write. */
  files: RunFiles | undefined;
  after: After;
}

/** An animated run with its state. */
export interface Shown {
  session: Session;
  run: StoredRun;
  version: ServedVersion;
  model: string;
  animation: AnimationData['animation'];
  /** Whether the key that started the run still gives access to it. */
  isAdmitted: () => boolean;
  /** Cancels the timer of the run. The timer ends a run that nobody renders, or forgets an ended run. */
  unwatch: () => void;
}

/**
 * The animated runs, by session uuid. Each has its own run in the database. This run is RUNNING until it is COMPLETED
 * at the end of its scene, FAILED by its model, or STOPPED. A pause does not change this state. Sessions are in memory,
 * so a restart of the service stops them. An ended session still answers requests for `RENDER_TIMEOUT`, unless more
 * than `MOST_ENDED` sessions have ended.
 */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #shown = new Map<string, Shown>();
  /** The number of runs whose process has not been started yet. */
  #starting = 0;
  /** The ids of runs whose input files are being fetched, or whose output files are being stored. */
  readonly #moving = new Set<string>();
  #open = true;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  /**
   * Starts an animated run; resolves when its first picture is drawn.
   *
   * @param isAdmitted - whether the key of the caller still gives access to the version
   * @throws ServiceError UNSUPPORTED_EXPERIMENT for a model without animation, TOO_MANY_ANIMATIONS, ANIMATION_FAILED
   *   with the reason, UNAVAILABLE if the cause is not the model, and the errors of a run request
   */
  async start(versionId: string, request: RunRequest, isAdmitted: () => boolean): Promise<Shown> {
    const { registry } = this.#parts;
    const version = registry.version(versionId);
    const { retired, animation } = version;
    const model = registry.model(version.modelId).name;
    if (retired === undefined && !animation) {
      throw new ServiceError(
        'UNSUPPORTED_EXPERIMENT',
        `The model "${model}" does not say how it is drawn: request the run without animation.`,
      );
    }
    const code = await this.#codeOf(version);
    this.#checkMayStart();
    this.#starting += 1;
    // a retired version may have neither, but `startAnimated` refuses its run before they are used
    const drawn = { version, model, code: code!, animation: animation!, isAdmitted };
    const shown = await this.#add(drawn, request).finally(() => (this.#starting -= 1));
    try {
      await shown.session.started;
    } catch (error) {
      this.#forget(shown);
      if (error instanceof Deferred) throw unavailable();
      throw new ServiceError('ANIMATION_FAILED', `The animated run did not start: ${messageOf(error)}.`);
    }
    return shown;
  }

  /** Adds a run to the database, and starts its process. */
  async #add(
    { version, code, ...drawn }: Omit<Shown, 'session' | 'run' | 'unwatch'> & { code: ModelCode },
    request: RunRequest,
  ): Promise<Shown> {
    const { runs, processes, progress } = this.#parts;
    const { id: versionId, experimentTemplate: template } = version;
    const run = await runs.startAnimated(versionId, request);
    await this.#fetchInputs(run, template);
    const job = { runId: run.id, versionId, code, template, inputs: run.inputs };
    const session = this.#begin(run, template, {
      ...processes,
      data: { job, animation: drawn.animation },
      onProgress: (fraction) => progress.note(run.id, fraction),
      onEnd: (ending) => this.#record(session, run, template, ending),
    });
    const shown: Shown = { session, run, version, ...drawn, unwatch: () => {} };
    this.#shown.set(session.uuid, shown);
    this.#watch(shown);
    return shown;
  }

  /** @throws ServiceError UNAVAILABLE */
  async #codeOf(version: ServedVersion): Promise<ModelCode | undefined> {
    try {
      return await this.#parts.registry.codeOf(version);
    } catch (error) {
      throw error instanceof Deferred ? unavailable() : error;
    }
  }

  /** Whether the run is running here, or its files are being fetched or stored. */
  executes(runId: string): boolean {
    if (this.#moving.has(runId)) return true;
    return [...this.#shown.values()].some(({ run, session }) => run.id === runId && !session.ending);
  }

  has(uuid: string): boolean {
    return this.#at(uuid) !== undefined;
  }

  /** @throws ServiceError UNKNOWN_SESSION */
  find(uuid: string): Shown {
    const shown = this.#at(uuid);
    if (!shown) throw unknownSession();
    return shown;
  }

  /** A run at an address. The address needs no key, so the run ends when the key that started it gives no access. */
  #at(uuid: string): Shown | undefined {
    const shown = this.#shown.get(uuid);
    if (!shown || shown.isAdmitted()) return shown;
    void shown.session.end({ status: 'STOPPED', reason: 'its key gives no access any more' });
    this.#forget(shown);
    return undefined;
  }

  /** The current picture, for somebody who renders the run. A run that nobody renders for 5 minutes is stopped. */
  async render(shown: Shown): Promise<Frame> {
    const frame = await shown.session.draw();
    if (!shown.session.ending) this.#watch(shown);
    return frame;
  }

  /** Stops all animated runs. Resolves when their processes are gone. */
  async close(): Promise<void> {
    this.#open = false;
    const all = [...this.#shown.values()];
    await Promise.all(all.map(({ session }) => session.end({ status: 'STOPPED', reason: SERVICE_STOPPED })));
    for (const shown of all) this.#forget(shown);
  }

  /** @throws ServiceError TOO_MANY_ANIMATIONS, ANIMATION_FAILED */
  #checkMayStart(): void {
    if (!this.#open) throw closing();
    const running = [...this.#shown.values()].filter(({ session }) => !session.ending);
    if (running.length + this.#starting >= MOST_SESSIONS) {
      throw new ServiceError(
        'TOO_MANY_ANIMATIONS',
        `${MOST_SESSIONS} animated runs are running already: stop one, or wait until one ends.`,
        { 'retry-after': String(TRY_AGAIN) },
      );
    }
  }

  #watch(shown: Shown): void {
    const { session } = shown;
    shown.unwatch();
    shown.unwatch = this.#parts.after(RENDER_TIMEOUT, () => {
      if (session.ending) return this.#forget(shown);
      void session.end({ status: 'STOPPED', reason: 'nobody rendered it for 5 minutes' });
    });
  }

  /** Starts the process of a run. @throws ServiceError UNAVAILABLE, ANIMATION_FAILED */
  #begin({ id, inputs }: StoredRun, template: Template, options: SessionOptions): Session {
    try {
      if (!this.#open) throw new Error(SERVICE_STOPPED);
      return new Session(options);
    } catch (error) {
      this.#parts.files?.releaseInputs(template, inputs);
      void this.#parts.recorder.record({ runId: id, status: 'STOPPED', reason: messageOf(error) });
      throw this.#open ? unavailable() : closing();
    }
  }

  /** @throws ServiceError UNAVAILABLE */
  async #fetchInputs({ id, inputs }: StoredRun, template: Template): Promise<void> {
    this.#moving.add(id);
    try {
      await this.#parts.files?.fetchInputs(template, inputs);
    } catch (error) {
      void this.#parts.recorder.record({ runId: id, status: 'STOPPED', reason: messageOf(error) });
      throw unavailable();
    } finally {
      this.#moving.delete(id);
    }
  }

  async #keepOutputs(runId: string, template: Template, outputs: OutputTexts): Promise<void> {
    const { recorder, files } = this.#parts;
    this.#moving.add(runId);
    try {
      await files!.keepOutputs(template, outputs);
      void recorder.record({ runId, status: 'COMPLETED', outputs });
    } catch (error) {
      void recorder.record({ runId, status: 'STOPPED', reason: messageOf(error) });
    } finally {
      this.#moving.delete(runId);
    }
  }

  /** Stores how a run has ended. Its session stays for a while. If too many have ended, the first one is forgotten. */
  #record(session: Session, run: StoredRun, template: Template, ending: SessionEnding): void {
    const { recorder, progress, files } = this.#parts;
    const { id: runId } = run;
    progress.end(runId);
    files?.releaseInputs(template, run.inputs);
    if (files && ending.status === 'COMPLETED') void this.#keepOutputs(runId, template, ending.outputs);
    else void recorder.record({ runId, ...ending });
    const shown = this.#shown.get(session.uuid);
    if (shown) {
      // set again, so that ended runs are in the order of their ends
      this.#shown.delete(session.uuid);
      this.#shown.set(session.uuid, shown);
      this.#watch(shown);
    }
    const ended = [...this.#shown.values()].filter(({ session }) => session.ending);
    if (ended.length > MOST_ENDED) this.#forget(ended[0]!);
  }

  #forget(shown: Shown): void {
    shown.unwatch();
    this.#shown.delete(shown.session.uuid);
  }
}

function closing(): ServiceError {
  return new ServiceError('ANIMATION_FAILED', 'The model service is being stopped.');
}

function unavailable(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'The animated run cannot start just now: the system lacks resources for its process, or files of the model or of the run cannot be read. Ask again later.',
    { 'retry-after': String(TRY_SOON) },
  );
}

export function unknownSession(): ServiceError {
  return new ServiceError(
    'UNKNOWN_SESSION',
    'There is no animated run at this address, or it was over long ago: start a new animated run.',
  );
}
