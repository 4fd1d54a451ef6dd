import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ForayError, isForayError, messageOf } from '../../errors.ts';
import { fileStamp, statOf } from '../../system/file-stamp.ts';
import { whyUnreadable } from '../../system/why-unreadable.ts';
import { isSystemError } from '../system-errors.ts';
import type { Declaration } from './declaration.ts';
import { describeModel } from './describe.ts';
import {
  isEmpty,
  isPython,
  type ModelCode,
  type ModelPlace,
  placesIn,
  readCode,
  stateOf,
  unreadableFolder,
} from './folder.ts';
import { modelId } from './ids.ts';
import { filesOutside } from './manifest.ts';
import { packagesOf } from './packages.ts';
import { programOf } from './program.ts';
import { LOAD_LIMIT } from './python-build.ts';

/**
 * How long the folder of a model may be missing or have no model while other folders beside it exist, in milliseconds.
 * Editors and checkouts replace folders and files, so they may be missing for a moment.
 */
const GONE_AFTER = 30_000;
/** How long a reading waits for a model that is being loaded, in milliseconds. */
const PATIENCE = 10_000;

export interface FoundModel {
  id: string;
  declaration: Declaration;
  code: ModelCode;
  /** A hash of content, declaration and packages, which identifies a version. */
  codeHash: string;
  /** Files that the model uses but that are outside its folder. The paths are relative to the folder. */
  outside: readonly string[];
  /** The folder of models that contains the model. */
  root: string;
  /** The folders in which its Python finds packages, and a text that changes with these folders or that Python. */
  installed: readonly string[];
  installedStamp: string;
}

/** The content of the folders of models. */
export interface Reading {
  /** Models by id. A model that cannot be read is as it was at its last reading. */
  models: ReadonlyMap<string, FoundModel>;
  invalid: ForayError[];
  unreadable: Unreadable[];
  /** What looks like a model and is not served, one sentence each. */
  skipped: string[];
  /** Whether a model is still being loaded. It is among the skipped ones. */
  isWaiting: boolean;
}

/** A model that is being loaded, or was loaded after the reading that began it. */
interface Loading {
  /** The state of its files at the begin. */
  state: string;
  /** The time of the begin, by `performance.now`. */
  since: number;
  model: Promise<FoundModel>;
  end: AbortController;
}

/** One reading of a folder of models. */
interface Request {
  root: string;
  /** How long to wait for a model since its loading began, in milliseconds. */
  patience: number;
  /** Gets the keys of all models that the reading has found. */
  asked: Set<string>;
  /** Called with each error as soon as it is known. */
  onProblem: (problem: ForayError) => void;
}

/** A folder that cannot be read: a folder of models, or the folder of one model. */
export interface Unreadable {
  folder: string;
  isRoot: boolean;
  /** The error, which says why the folder cannot be read. */
  problem: ForayError;
  /** The models that stay unchanged, because the folder cannot be read. */
  kept: FoundModel[];
}

/**
 * Reads the folders of models repeatedly. A model that cannot be read stays as it was at its last reading. It changes
 * when it can be read and is different or invalid, or when its folder has been missing for long while other folders
 * beside it exist. A model that takes long to load holds up no other one: a later reading gets it. Its loading ends when
 * its files change, and begins again with the new ones.
 */
export class ModelReader {
  readonly #roots: readonly string[];
  readonly #clock: () => number;
  #known: readonly FoundModel[] = [];
  /** The time since which each missing folder is missing, by path. */
  #missing: ReadonlyMap<string, number> = new Map();
  /** The models that are being loaded, by root and entry. */
  readonly #loading = new Map<string, Loading>();
  readonly #end = new AbortController();

  /** @param clock - the current time in milliseconds */
  constructor(modelDirs: readonly string[], clock: () => number) {
    this.#roots = modelDirs.map((dir) => path.resolve(dir));
    this.#clock = clock;
  }

  /** Ends what is being loaded. Further models are not loaded. */
  close(): void {
    this.#end.abort(new ForayError('MODEL_UNREADABLE', 'The service ends.'));
  }

  /** The entries of the models that are being loaded. */
  get waitingFor(): string[] {
    return [...this.#loading.keys()].map((key) => key.split('\n').at(-1)!);
  }

  /**
   * @param patience - how long to wait for a model that is being loaded, in milliseconds
   * @param onProblem - called with each error as soon as it is known, because other models may take long to load
   */
  async read(patience = PATIENCE, onProblem: Request['onProblem'] = () => {}): Promise<Reading> {
    const asked = new Set<string>();
    const roots = await Promise.all(
      this.#roots.map((root) => this.#readRoot({ root, patience, asked, onProblem })),
    );
    for (const [key, { end }] of this.#loading) {
      if (asked.has(key)) continue;
      end.abort(changed());
      this.#loading.delete(key);
    }
    const models = new Map<string, FoundModel>();
    const invalid = roots.flatMap((read) => read.invalid);
    const unreadable = roots.flatMap((read) => read.unreadable);
    for (const model of roots.flatMap((read) => read.found)) {
      const other = models.get(model.id);
      if (other) invalid.push(sameName(other, model));
      else models.set(model.id, model);
    }
    for (const { kept } of unreadable) {
      // a model that was moved to another folder has been found there
      for (const model of kept) if (!models.has(model.id)) models.set(model.id, model);
    }
    this.#known = [...models.values()];
    this.#missing = new Map(roots.flatMap((read) => [...read.missing]));
    const skipped = roots.flatMap((read) => read.skipped);
    return { models, invalid, unreadable, skipped, isWaiting: this.#loading.size > 0 };
  }

  async #readRoot(request: Request): Promise<RootReading> {
    const { root } = request;
    const known = this.#known.filter((model) => model.root === root);
    const reading: RootReading = {
      found: [],
      invalid: [],
      unreadable: [],
      skipped: [],
      missing: new Map(),
    };
    const seen = new Set<string>();
    let places: ModelPlace[];
    try {
      const onInvalid = (folder: string, problem: ForayError): void => {
        seen.add(folder);
        reading.invalid.push(problem);
        request.onProblem(problem);
      };
      places = placesIn(root, known.map(folderOf), onInvalid, (sentence) => reading.skipped.push(sentence));
      // a network disk that is not mounted leaves an empty folder
      if (known.length > 0 && isEmpty(root)) throw unreadableFolder(root, 'is empty');
    } catch (error) {
      const problem = isSystemError(error) ? unreadableFolder(root, whyUnreadable(error)) : error;
      if (!isForayError(problem)) throw error;
      request.onProblem(problem);
      return { ...reading, invalid: [], unreadable: [{ folder: root, problem, kept: known, isRoot: true }] };
    }
    const lastIn = (folder: string) => known.find((model) => folderOf(model) === folder);
    for (const place of places) seen.add(folderOf(place));
    const lost = known.filter((model) => !seen.has(folderOf(model)));
    const found = await Promise.all([
      ...places.map((place) => this.#readPlace(request, reading, lastIn(folderOf(place)), place)),
      ...lost.map((model) => this.#readPlace(request, reading, model, undefined)),
    ]);
    return { ...reading, found: found.filter((model) => model !== undefined) };
  }

  /**
   * The model at a place; undefined if it cannot be read, and then the reading says why. A known model without a place
   * has lost its folder, and is gone if that lasts.
   */
  async #readPlace(
    request: Request,
    reading: RootReading,
    last: FoundModel | undefined,
    place: ModelPlace | undefined,
  ): Promise<FoundModel | undefined> {
    const folder = folderOf((place ?? last)!);
    try {
      const missing = this.#findMissing(last, place);
      if (missing !== undefined && this.#isMissingForNow(missing, reading.missing)) {
        const what = statOf(missing) ? 'has no model any more' : 'is missing';
        throw new ForayError('MODEL_UNREADABLE', `The folder ${missing} ${what}.`);
      }
      if (!place) return undefined;
      const model = await this.#load(request, place, last);
      if (!model && !this.#end.signal.aborted) reading.skipped.push(notLoaded(folder));
      return model;
    } catch (error) {
      const problem = asModelError(folder, error);
      request.onProblem(problem);
      if (problem.code !== 'MODEL_UNREADABLE') reading.invalid.push(problem);
      else reading.unreadable.push({ folder, problem, kept: last ? [last] : [], isRoot: false });
      return undefined;
    }
  }

  /** Loads a model, or goes on if an earlier reading has begun with the same files; undefined if that takes longer. */
  async #load(
    { root, patience, asked }: Request,
    place: ModelPlace,
    last: FoundModel | undefined,
  ): Promise<FoundModel | undefined> {
    const key = `${root}\n${place.entry}`;
    asked.add(key);
    const loading = this.#loadingOf(key, stateOf(place), (signal) => readModel(root, place, last, signal));
    const left = Math.max(0, loading.since + patience - performance.now());
    const pause = delay(left, undefined, { ref: false, signal: this.#end.signal }).catch(() => undefined);
    let isDone = true;
    try {
      const model = await Promise.race([loading.model, pause]);
      isDone = model !== undefined;
      return model;
    } finally {
      if (isDone) this.#loading.delete(key);
    }
  }

  #loadingOf(key: string, state: string, load: (signal: AbortSignal) => Promise<FoundModel>): Loading {
    const known = this.#loading.get(key);
    if (known?.state === state) return known;
    known?.end.abort(changed());
    const end = new AbortController();
    const model = load(AbortSignal.any([end.signal, this.#end.signal]));
    // a later reading gets the error
    model.catch(() => {});
    const loading = { state, since: performance.now(), model, end };
    this.#loading.set(key, loading);
    return loading;
  }

  /**
   * The folder that a known model has lost: its own folder, which has no model any more, or a shared folder that does
   * not exist any more.
   *
   * @throws Error of the system
   */
  #findMissing(last: FoundModel | undefined, place: ModelPlace | undefined): string | undefined {
    if (!last) return undefined;
    if (!place) {
      const folder = folderOf(last);
      // this throws if the folder cannot be read: its model may still be there
      if (statOf(folder)) isEmpty(folder);
      return folder;
    }
    return last.code.folders.find((part) => !place.folders.includes(part) && !statOf(part));
  }

  #isMissingForNow(folder: string, missing: Map<string, number>): boolean {
    const since = this.#missing.get(folder) ?? this.#clock();
    missing.set(folder, since);
    return this.#clock() - since < GONE_AFTER;
  }
}

/** Why the loading of a model has ended. Nobody reads it. */
function changed(): ForayError {
  return new ForayError('MODEL_UNREADABLE', 'Its files have changed.');
}

function notLoaded(folder: string): string {
  return `The model in ${folder} is not served yet: it is still being loaded, which may take ${LOAD_LIMIT / 60_000} minutes.`;
}

interface RootReading {
  found: FoundModel[];
  invalid: ForayError[];
  unreadable: Unreadable[];
  skipped: string[];
  missing: Map<string, number>;
}

function folderOf(model: FoundModel | ModelPlace): string {
  return path.dirname('code' in model ? model.code.entry : model.entry);
}

/**
 * Reads a model.
 *
 * @param last - the model at its last reading. If its files are the same, its declaration is not read again
 * @param signal - ends the loading
 * @throws ForayError MODEL_INVALID, MODEL_UNREADABLE; Error of the system; the reason of the signal
 */
export async function readModel(
  root: string,
  place: ModelPlace,
  last?: FoundModel,
  signal?: AbortSignal,
): Promise<FoundModel> {
  const state = stateOf(place);
  const code = await readCode(place);
  const isSame = last?.code.contentHash === code.contentHash && last.code.entry === code.entry;
  if (isSame && stampOf(place, last.installed) === last.installedStamp)
    return { ...last, code: { ...code, python: last.code.python } };
  const described = await describeModel(code, signal);
  const { declaration } = described;
  const loaded = described.python ?? (await packagesOf(code, signal));
  // a program that cannot be loaded at the moment has the packages that it had
  const python = loaded
    ? { python: loaded.python, packages: loaded.packages }
    : isSame
      ? last.code.python
      : undefined;
  const installed = loaded?.folders ?? (isSame ? last.installed : []);
  const outside = filesOutside(place, described);
  if (stateOf(place) !== state) {
    throw new ForayError('MODEL_UNREADABLE', `The model in ${folderOf(place)} changes while it is read.`);
  }
  const codeHash = createHash('sha256')
    .update(JSON.stringify([code.contentHash, declaration, ...(python ? [python] : [])]))
    .digest('hex');
  return {
    id: modelId(declaration.name),
    declaration,
    code: { ...code, python },
    codeHash,
    outside,
    root,
    installed,
    installedStamp: stampOf(place, installed),
  };
}

function stampOf(place: ModelPlace, folders: readonly string[]): string {
  if (!isPython(place.entry) && folders.length === 0) return '';
  // a new virtual environment has another Python, although the folders of the former one stay the same
  const [python] = programOf(place).command;
  return [python, ...[python!, ...folders].map((file) => fileStamp(file) ?? '')].join('\n');
}

function sameName(one: FoundModel, other: FoundModel): ForayError {
  const folders = [one, other].map(folderOf).join(' and ');
  return new ForayError('MODEL_INVALID', `Two models have the name "${other.declaration.name}": ${folders}.`);
}

/**
 * Returns a ForayError unchanged, and makes a ForayError from an error of the system.
 *
 * @throws any other error, because it is a fault of the service
 */
function asModelError(folder: string, error: unknown): ForayError {
  if (isForayError(error)) return error;
  if (!isSystemError(error)) throw error;
  return new ForayError('MODEL_UNREADABLE', `The model in ${folder} cannot be read: ${messageOf(error)}.`);
}
