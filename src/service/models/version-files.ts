import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { ForayError, messageOf } from '../../errors.ts';
import { Deferred } from '../deferred.ts';
import { ServiceError } from '../errors.ts';
import { ContentFiles, isHash } from '../files/content.ts';
import { FetchedFiles } from '../files/fetched-files.ts';
import { storeUpload } from '../files/upload.ts';
import { filesOf, hashContent, isOfTools, type ModelCode, stateOf } from './folder.ts';
import { LIBRARY, type Manifest, type ManifestFile, MODELS } from './manifest.ts';

/** The folder of the files of versions, in the data folder of a service. */
export function versionFilesIn(dataDir: string): string {
  return path.join(dataDir, 'versions');
}

/** The store for the contents of versions, for all services of a database that share no folder. */
export interface SharedContents {
  has(hash: string): Promise<boolean>;
  /** Writes a content to a path. */
  fetch(hash: string, file: string): Promise<void>;
  /** Stores the content at a path under its hash. */
  upload(hash: string, file: string): Promise<void>;
}

export interface VersionFilesOptions {
  /**
   * The place for the folders of old versions.
   *
   * @default the folder `cache`
   */
  cache?: string | undefined;
  /** The folder of incomplete files. */
  unfinished?: string | undefined;
  /**
   * Contents that are not in the folder are fetched from here.
   *
   * @default the folder has all of them
   */
  source?: Pick<SharedContents, 'fetch'> | undefined;
  /** Contents are stored here as well. */
  shared?: SharedContents | undefined;
}

/** The number of files that are stored at once. */
const UPLOADS = 8;

/**
 * The files of model versions by the hash of their content, and the folders that old versions run from. They are apart from the files of
 * clients: whoever may use a model may not read its code.
 */
export class VersionFiles {
  /** Their contents, each by {@link contentName}. */
  readonly content: ContentFiles;
  readonly #cache: string;
  readonly #fetched: FetchedFiles | undefined;
  readonly #shared: SharedContents | undefined;
  /** Contents that are stored for all services, by their names. */
  readonly #published = new Set<string>();
  /** Folders that were checked, with a text that identifies their state. */
  readonly #checked = new Map<string, string>();

  constructor(dir: string, { cache, unfinished, source, shared }: VersionFilesOptions = {}) {
    this.content = new ContentFiles(path.join(dir, 'content'), unfinished);
    this.#cache = cache ?? path.join(dir, 'cache');
    this.#shared = shared;
    const from = source ?? shared;
    this.#fetched = from && new FetchedFiles(this.content, (hash, file) => from.fetch(hash, file));
  }

  /** Whether contents are stored for all services as well. */
  get isShared(): boolean {
    return this.#shared !== undefined;
  }

  /** Prepares the folder, and removes incomplete files of an earlier process. */
  prepare(): void {
    this.content.prepare();
    rmSync(this.#unfinished, { recursive: true, force: true });
  }

  /** Has all files hashed again before their next use. */
  doubt(): void {
    this.content.doubt();
    this.#checked.clear();
  }

  get #unfinished(): string {
    return path.join(this.#cache, 'unfinished');
  }

  /**
   * Stores the files of a version.
   *
   * @throws ForayError MODEL_UNREADABLE when they have changed since they were read; Error of the system
   */
  keep(code: ModelCode, { files }: Manifest): void {
    for (const [index, { file }] of filesOf(code).entries()) {
      const { link, sha256 } = files[index]!;
      if (link === undefined && !this.content.copy(file, contentName(sha256))) {
        throw new ForayError('MODEL_UNREADABLE', `The file ${file} changes while it is read.`);
      }
    }
  }

  /**
   * Stores the files of a version for all services that share no folder.
   *
   * @throws ServiceError UNAVAILABLE
   */
  async publish(code: ModelCode, { files }: Manifest): Promise<void> {
    const shared = this.#shared!;
    const placed = filesOf(code).map(({ file }, at) => ({ ...files[at]!, file }));
    const wanted = placed.filter(({ link, sha256 }) => link === undefined && !this.#published.has(sha256));
    // each worker takes the next one
    const next = wanted.values();
    const work = async (): Promise<void> => {
      for (const { sha256, file } of next) {
        const name = contentName(sha256);
        if (!(await shared.has(name))) await shared.upload(name, file);
        this.#published.add(sha256);
      }
    };
    await Promise.all(Array.from({ length: UPLOADS }, work));
  }

  /**
   * Stores a content while it arrives; returns its SHA-256.
   *
   * @throws ServiceError TOO_LARGE, UNAVAILABLE
   */
  async store(body: Readable, limit: number): Promise<string> {
    const name = await storeUpload(this.content, body, limit);
    await this.#shared?.upload(name, this.content.pathOf(name));
    return Buffer.from(name, 'base64url').toString('hex');
  }

  /** Whether the content is stored. */
  async isWhole(sha256: string): Promise<boolean> {
    const name = contentName(sha256);
    return (await this.content.isWhole(name)) || ((await this.#shared?.has(name)) ?? false);
  }

  /** Reads a content by its name. @throws ServiceError UNKNOWN_FILE, FILE_DAMAGED, UNAVAILABLE */
  async read(name: string): Promise<Readable> {
    try {
      if (isHash(name)) await this.#fetched?.ensure([name]);
    } catch (error) {
      throw error instanceof Deferred && error.cause instanceof ServiceError ? error.cause : error;
    }
    return this.content.open(name);
  }

  /**
   * The code of an old version in a separate folder. The folder is made if it is missing or not correct.
   *
   * @param installedIn - the current folder of the model, whose packages and virtual environments the old version gets
   * @throws Deferred if that is not possible at the moment
   */
  async ready(manifest: Manifest, installedIn: string | undefined): Promise<ModelCode> {
    const folder = path.join(this.#cache, manifest.contentHash);
    const code = codeIn(folder, manifest);
    try {
      if (!this.#isWhole(code)) {
        await this.#fetch(manifest.files);
        // another run may have made it meanwhile
        if (!this.#isWhole(code)) this.#make(folder, manifest);
        if (!this.#isWhole(code)) throw new Error('it is not what was kept');
      }
      if (installedIn !== undefined) linkInstalled(installedIn, code.folders[0]!);
      return code;
    } catch (error) {
      if (error instanceof Deferred) throw error;
      throw new Deferred(`the folder of the old version cannot be made: ${messageOf(error)}`);
    }
  }

  /** Removes contents that no manifest needs; returns the number of removed bytes. */
  removeOthers(kept: readonly Manifest[]): number {
    const folders = new Set(kept.map(({ contentHash }) => contentHash));
    const made = existsSync(this.#cache) ? readdirSync(this.#cache) : [];
    for (const name of made) {
      if (!folders.has(name)) rmSync(path.join(this.#cache, name), { recursive: true, force: true });
    }
    const hashes = kept.flatMap(({ files }) => files.map(({ sha256 }) => contentName(sha256)));
    return this.content.removeOthers(new Set(hashes));
  }

  async #fetch(files: readonly Omit<ManifestFile, 'size'>[]): Promise<void> {
    const contents = files.filter(({ link }) => link === undefined);
    await this.#fetched?.ensure(contents.map(({ sha256 }) => contentName(sha256)));
  }

  #isWhole(code: ModelCode): boolean {
    let state;
    try {
      state = stateOf(code);
    } catch {
      return false;
    }
    if (this.#checked.get(code.contentHash) === state) return true;
    if (hashContent(code) !== code.contentHash) return false;
    this.#checked.set(code.contentHash, state);
    return true;
  }

  /** Calls `use` with a folder of some files, which is removed afterwards. */
  async withFolder<T>(
    files: readonly Omit<ManifestFile, 'size'>[],
    use: (folder: string) => Promise<T>,
  ): Promise<T> {
    const folder = path.join(this.#unfinished, randomUUID());
    try {
      await this.#fetch(files);
      this.#write(folder, files);
      return await use(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #write(folder: string, files: readonly Omit<ManifestFile, 'size'>[]): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const { path: place, mode, sha256, link } of files) {
      const file = path.join(folder, place);
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      if (link !== undefined) {
        symlinkSync(link, file);
      } else {
        writeFileSync(file, this.#contentOf(place, sha256));
        chmodSync(file, mode);
      }
    }
  }

  /** Makes the folder beside its place and moves it there when it is complete. */
  #make(folder: string, { files, imports }: Manifest): void {
    const unfinished = path.join(this.#unfinished, randomUUID());
    try {
      this.#write(unfinished, files);
      // the models that ship import foray's files by their paths
      if (Object.keys(imports).length > 0)
        symlinkSync(path.join(LIBRARY, 'src'), path.join(unfinished, 'src'));
      // a program may still run in it: it is removed at the next start
      if (existsSync(folder)) renameSync(folder, path.join(this.#unfinished, randomUUID()));
      renameSync(unfinished, folder);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }

  #contentOf(place: string, sha256: string): Buffer {
    const content = readFileSync(this.content.pathOf(contentName(sha256)));
    if (createHash('sha256').update(content).digest('hex') !== sha256) {
      throw new Error(`what was kept of ${place} is damaged`);
    }
    return content;
  }
}

/** The place of a version's code, if it has a separate folder. */
function codeIn(folder: string, { entry, folders, contentHash, files, imports }: Manifest): ModelCode {
  const placed = (name: string): string => path.join(folder, name);
  return {
    entry: placed(entry),
    folders: folders.map((name) => path.join(folder, MODELS, name)),
    library: files.flatMap((file) => (file.path.startsWith(`${LIBRARY}/`) ? [placed(file.path)] : [])),
    libraryRoot: placed(LIBRARY),
    contentHash,
    files: [],
    imports: Object.fromEntries(Object.entries(imports).map(([name, file]) => [name, placed(file)])),
  };
}

/** The name of a content in the store: the same hash as other files have it. */
export function contentName(sha256: string): string {
  return Buffer.from(sha256, 'hex').toString('base64url');
}

/**
 * Links the installed packages of a model's folder, and those of the folders above it, into the folder of an old
 * version.
 */
function linkInstalled(from: string, to: string): void {
  const installed = readdirSync(from, { withFileTypes: true })
    .filter(({ name }) => name !== '__pycache__' && isOfTools(path.join(from, name)))
    .map(({ name }) => name);
  for (const name of installed) link(path.join(from, name), path.join(to, name));
  const packages = packagesAbove(path.dirname(from));
  if (packages !== undefined) link(packages, path.join(path.dirname(to), 'node_modules'));
}

function packagesAbove(folder: string): string | undefined {
  const packages = path.join(folder, 'node_modules');
  if (existsSync(packages)) return packages;
  const above = path.dirname(folder);
  return above === folder ? undefined : packagesAbove(above);
}

function link(target: string, file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
    if (readlinkSync(file) === target) return;
    rmSync(file);
  }
  symlinkSync(target, file);
}
