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
import { PROGRAM_LOAD_LIMIT } from './python-build.ts';

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
  /** The folders in which its Python finds packages. */
  installed: readonly string[];
  /** A text that changes with these folders and with the Python itself. */
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
  /** The state of its files when the loading began. */
  state: string;
  /** When the loading began, by `performance.now`. */
  since: number;
  model: Promise<FoundModel>;
  end: AbortController;
}

/** What a reading of one folder of models needs. */
interface RootOptions {
  root: string;
  /** How long to wait for a model since its loading began, in milliseconds. */
  patience: number;
  /** Gets the keys of all models that the reading finds, as in `#loading`. */
  foundKeys: Set<string>;
  /** Called with each error as soon as it is known. */
  onProblem: (problem: ForayError) => void;
}

/** The content of one folder of models. */
interface RootReading extends Pick<Reading, 'invalid' | 'unreadable' | 'skipped'> {
  found: FoundModel[];
  /** The time since which each missing folder is missing, by path. */
  missing: Map<string, number>;
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
  /** As {@link RootReading.missing}, for all folders of models at the last reading. */
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
  async read(patience = PATIENCE, onProblem: RootOptions['onProblem'] = () => {}): Promise<Reading> {
    const foundKeys = new Set<string>();
    const roots = await Promise.all(
      this.#roots.map((root) => this.#readRoot({ root, patience, foundKeys, onProblem })),
    );
    for (const [key, { end }] of this.#loading) {
      if (foundKeys.has(key)) continue;
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

  async #readRoot(options: RootOptions): Promise<RootReading> {
    const { root, onProblem } = options;
    const known = this.#known.filter((model) => model.root === root);
    const reading: RootReading = { found: [], invalid: [], unreadable: [], skipped: [], missing: new Map() };
    const seen = new Set<string>();
    let places: ModelPlace[];
    try {
      const onInvalid = (folder: string, problem: ForayError): void => {
        seen.add(folder);
        reading.invalid.push(problem);
        onProblem(problem);
      };
      places = placesIn(root, known.map(folderOf), onInvalid, (sentence) => reading.skipped.push(sentence));
      // a network disk that is not mounted leaves an empty folder
      if (known.length > 0 && isEmpty(root)) throw unreadableFolder(root, 'is empty');
    } catch (error) {
      const problem = isSystemError(error) ? unreadableFolder(root, whyUnreadable(error)) : error;
      if (!isForayError(problem)) throw error;
      onProblem(problem);
      return { ...reading, invalid: [], unreadable: [{ folder: root, problem, kept: known, isRoot: true }] };
    }
    const lastIn = (folder: string) => known.find((model) => folderOf(model) === folder);
    for (const place of places) seen.add(folderOf(place));
    const lost = known.filter((model) => !seen.has(folderOf(model)));
    const found = await Promise.all([
      ...places.map((place) => this.#readPlace(options, reading, lastIn(folderOf(place)), place)),
      ...lost.map((model) => this.#readPlace(options, reading, model, undefined)),
    ]);
    return { ...reading, found: found.filter((model) => model !== undefined) };
  }

  /**
   * The model at a place; undefined if it cannot be read, and then the reading says why. A known model without a place
   * has lost its folder, and is gone if that lasts.
   */
  async #readPlace(
    options: RootOptions,
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
      const model = await this.#load(options, place, last);
      if (!model && !this.#end.signal.aborted) reading.skipped.push(notLoaded(folder));
      return model;
    } catch (error) {
      const problem = asModelError(folder, error);
      options.onProblem(problem);
      if (problem.code !== 'MODEL_UNREADABLE') reading.invalid.push(problem);
      else reading.unreadable.push({ folder, problem, kept: last ? [last] : [], isRoot: false });
      return undefined;
    }
  }

  /** Loads a model, or goes on if an earlier reading has begun with the same files; undefined if that takes longer. */
  async #load(
    { root, patience, foundKeys }: RootOptions,
    place: ModelPlace,
    last: FoundModel | undefined,
  ): Promise<FoundModel | undefined> {
    const key = `${root}\n${place.entry}`;
    foundKeys.add(key);
    const loading = this.#loadingOf(key, stateOf(place), (signal) => readModel(root, place, last, signal));
    const left = Math.max(0, loading.since + patience - performance.now());
    const pause = delay(left, undefined, { ref: false, signal: this.#end.signal }).catch(() => undefined);
    try {
      const model = await Promise.race([loading.model, pause]);
      if (model) this.#loading.delete(key);
      return model;
    } catch (error) {
      this.#loading.delete(key);
      throw error;
    }
  }

  #loadingOf(key: string, state: string, load: (signal: AbortSignal) => Promise<FoundModel>): Loading {
    const known = this.#loading.get(key);
    if (known?.state === state) return known;
    known?.end.abort(changed());
    const end = new AbortController();
    const model = load(AbortSignal.any([end.signal, this.#end.signal]));
    // an error that comes after the reading is for a later reading
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

  /** Whether a missing folder may still come back. The reading gets the time since which it is missing. */
  #isMissingForNow(folder: string, missing: Map<string, number>): boolean {
    const since = this.#missing.get(folder) ?? this.#clock();
    missing.set(folder, since);
    return this.#clock() - since < GONE_AFTER;
  }
}

/** Why the loading of a model has ended. The error is for nobody: no reading waits for this model any more. */
function changed(): ForayError {
  return new ForayError('MODEL_UNREADABLE', 'Its files have changed.');
}

function notLoaded(folder: string): string {
  return `The model in ${folder} is not served yet: it is still being loaded, which may take ${PROGRAM_LOAD_LIMIT / 60_000} minutes.`;
}

function folderOf(model: FoundModel | ModelPlace): string {
  return path.dirname('code' in model ? model.code.entry : model.entry);
}

/**
 * Reads a model.
 *
 * @param last - the model at its last reading. Its declaration is not read again if files and packages are the same
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
  const before = isSame ? last : undefined;
  if (before && stampOf(place, before.installed) === before.installedStamp)
    return { ...before, code: { ...code, python: before.code.python } };
  const described = await describeModel(code, signal);
  const { declaration } = described;
  const loaded = described.python ?? (await packagesOf(code, signal));
  // a program that cannot be loaded at the moment has the packages that it had before
  const python = loaded ? { python: loaded.python, packages: loaded.packages } : before?.code.python;
  const installed = loaded?.folders ?? before?.installed ?? [];
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

/** {@link FoundModel.installedStamp}; empty if the model has no Python with packages. */
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
