import path from 'node:path';
import type { Pushed, PushRequest } from '../../api/extensions.ts';
import { type ForayError, isForayError } from '../../errors.ts';
import { notPermitted, ServiceError } from '../errors.ts';
import { checkInputNames } from './declaration.ts';
import { isEntry, isPython, placeOf } from './folder.ts';
import { MODELS } from './manifest.ts';
import { type FoundModel, readModel } from './reader.ts';
import type { ModelRegistry } from './registry.ts';
import type { VersionFiles } from './version-files.ts';

/** Matches one name of a path that leads to no other folder. */
const SEGMENT = /^(?!\.{1,2}$)[^/\\\0]+$/;

/** How long an upload counts for the pushes of its user, in milliseconds. */
const REMEMBERED = 3_600_000;

/** How long a pushed model may take to load, in milliseconds. Clients wait a minute for an answer. */
const PATIENCE = 45_000;

/**
 * Takes the models that authors push (send) to the service. A file of a pushed version need not be uploaded again if
 * the same user has uploaded it in the last hour, or if a kept version of a model of the user has it. Other stored
 * files do not count: otherwise a user who knows only the hash of a file could read the file.
 */
export class Pushes {
  readonly #registry: ModelRegistry;
  readonly #files: VersionFiles;
  /**
   * The SHA-256 of the contents that each user has lately uploaded to this process, the latest one last, with the time.
   * A push that succeeds removes none of them, because other pushes of the same user may need them at the same time.
   */
  readonly #uploaded = new Map<string, Map<string, number>>();

  constructor(registry: ModelRegistry, files: VersionFiles) {
    this.#registry = registry;
    this.#files = files;
  }

  /** Notes that the user has uploaded a content for model versions. */
  noteUpload(user: string, sha256: string): void {
    const uploaded = this.#uploaded.get(user) ?? new Map<string, number>();
    const now = performance.now();
    uploaded.delete(sha256);
    uploaded.set(sha256, now);
    for (const [earlier, at] of uploaded) {
      if (now - at < REMEMBERED) break;
      uploaded.delete(earlier);
    }
    this.#uploaded.set(user, uploaded);
  }

  /**
   * Makes a version of a model, if it differs from the last one. The files of the model say its name.
   *
   * @param mayChange - whether the user may add versions to the model of a name
   * @throws ServiceError INVALID_BODY, NOT_PERMITTED, MODEL_IN_FOLDER, MODEL_REFUSED
   */
  async push(user: string, request: PushRequest, mayChange: (name: string) => boolean): Promise<Pushed> {
    checkPaths(request);
    const missing = await this.#missing(user, request, mayChange);
    if (missing.length > 0) return { missing, pushed: null };
    const placed = request.files.map((file) => ({ ...file, path: `${MODELS}/${file.path}` }));
    return this.#files.folders.withFolder(placed, async (folder) => {
      const root = path.join(folder, MODELS);
      try {
        const model = await readPushed(root, request);
        const { name } = model.declaration;
        if (!mayChange(name)) throw notPermitted(name);
        const { number, isNew } = await this.#registry.add(model);
        return { missing, pushed: { name, version: number, isNew } };
      } catch (error) {
        throw isForayError(error) ? refusal(error, root, path.join(root, request.folders[0]!)) : error;
      }
    });
  }

  /** The SHA-256 of the files that the user must upload before the push. */
  async #missing(
    user: string,
    { files }: PushRequest,
    mayChange: (name: string) => boolean,
  ): Promise<string[]> {
    const usable = new Set(this.#uploaded.get(user)?.keys());
    const models = this.#registry.models().filter(({ name }) => mayChange(name));
    const ids = new Set(models.map(({ id }) => id));
    for (const { modelId, manifest } of this.#registry.versions()) {
      if (ids.has(modelId)) for (const { sha256 } of manifest?.files ?? []) usable.add(sha256);
    }
    const missing: string[] = [];
    for (const sha256 of new Set(files.map((file) => file.sha256))) {
      if (!usable.has(sha256) || !(await this.#files.isWhole(sha256))) missing.push(sha256);
    }
    return missing;
  }
}

async function readPushed(root: string, { folders, entry }: PushRequest): Promise<FoundModel> {
  const shared = folders.slice(1).map((folder) => path.join(root, folder));
  const late = AbortSignal.timeout(PATIENCE);
  const place = placeOf(path.join(root, entry), shared);
  const model = await readModel(root, place, undefined, late).catch((error: unknown) => {
    throw error === late.reason ? tooLate() : error;
  });
  const { declaration, outside } = model;
  checkInputNames(declaration);
  if (outside.length > 0) {
    throw new ServiceError(
      'MODEL_REFUSED',
      `The model uses ${outside.join(', ')}, outside its folder: put what it needs into its folder.`,
    );
  }
  return model;
}

/** The error for the author, who knows the files by their names in the folder of the model. */
function refusal({ message, place }: ForayError, root: string, modelFolder: string): ServiceError {
  const [inRoot, inModel] = [`${root}${path.sep}`, `${modelFolder}${path.sep}`];
  const known = place && 'line' in place ? { ...place, file: path.resolve(place.file) } : undefined;
  return new ServiceError(
    'MODEL_REFUSED',
    message.replaceAll(inModel, '').replaceAll(inRoot, ''),
    {},
    // a file outside the folders of the model belongs to the service
    known?.file.startsWith(inRoot) ? { ...known, file: path.relative(modelFolder, known.file) } : undefined,
  );
}

function tooLate(): ServiceError {
  return new ServiceError(
    'MODEL_REFUSED',
    `The model takes longer than ${PATIENCE / 1_000} s to load. Put it into a folder of models of the service, which waits longer.`,
  );
}

/** @throws ServiceError INVALID_BODY for an entry or a path that is outside the model's folders or below another file */
function checkPaths({ folders, entry, files }: PushRequest): void {
  const refuse = (what: string): never => {
    throw new ServiceError('INVALID_BODY', `The body is not as it should be: ${what}.`);
  };
  const paths = new Set(files.map((file) => file.path));
  if (paths.size < files.length) refuse('files: a path appears twice');
  for (const name of folders)
    if (!SEGMENT.test(name)) refuse(`folders: "${name}" is not the name of a folder`);
  for (const place of paths) {
    const [folder, ...rest] = place.split('/');
    if (!folders.includes(folder!) || rest.length === 0 || !rest.every((name) => SEGMENT.test(name)))
      refuse(`files: "${place}" is not in a folder of the model`);
    for (let depth = 1; depth < rest.length; depth += 1) {
      if (paths.has([folder, ...rest.slice(0, depth)].join('/'))) refuse(`files: "${place}" is below a file`);
    }
  }
  const [folder, file, ...rest] = entry.split('/');
  if (!paths.has(entry) || folder !== folders[0] || rest.length > 0 || !(isEntry(file!) || isPython(file!)))
    refuse(
      `entry: "${entry}" is no model.ts, model.js, model.yaml, model.json or file in Python in the first folder`,
    );
}
