import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../errors.ts';
import { Deferred } from '../deferred.ts';
import type { Copies } from '../files/file-cache.ts';
import { isShortage } from '../system-errors.ts';
import { hashContent, isOfPackages, type ModelCode, stateOf } from './folder.ts';
import { LIBRARY, type Manifest, type ManifestFile, MODELS } from './manifest.ts';
import { ENVIRONMENTS } from './program.ts';

type PlacedFile = Omit<ManifestFile, 'size'>;

const UNFINISHED = 'unfinished';

/** The store of the contents from which folders are made. */
export interface FolderContents {
  /** Fetches the contents that are not in the store. */
  fetch(files: readonly PlacedFile[]): Promise<void>;
  /** Copies a content from the store to a path; returns false if it is damaged. */
  copy(sha256: string, file: string): Promise<boolean>;
}

/** The folders that old versions run from. A missing or incorrect folder is made from the contents in the store. */
export class VersionFolders implements Copies {
  readonly folder: string;
  readonly #contents: FolderContents;
  /** The folders that were found correct, by hash, with a text that identifies their state. */
  readonly #checked = new Map<string, string>();
  /** The folders that are being checked or made, by their paths. */
  readonly #making = new Map<string, Promise<void>>();
  /** The sizes of folders in bytes, as far as they are known. */
  readonly #sizes = new Map<string, number>();

  constructor(folder: string, contents: FolderContents) {
    this.folder = folder;
    this.#contents = contents;
  }

  /** Makes the folder, and removes incomplete folders of an earlier process. */
  prepare(): void {
    rmSync(this.#unfinished, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Makes sure that all folders are hashed again before their next use. */
  recheck(): void {
    this.#checked.clear();
  }

  get #unfinished(): string {
    return path.join(this.folder, UNFINISHED);
  }

  /**
   * Returns the code of an old version. The code is in a folder for this version, which is made if it is missing or not
   * correct.
   *
   * @param installedIn - the current folder of the model, whose packages and virtual environments the old version gets
   * @throws Deferred if that is not possible at the moment
   */
  async ready(manifest: Manifest, installedIn: string | undefined): Promise<ModelCode> {
    const folder = this.#pathOf(manifest.contentHash);
    const code = codeIn(folder, manifest);
    try {
      // several runs may need the folder at the same time
      const making = this.#making.get(folder) ?? this.#ensure(folder, code, manifest);
      this.#making.set(folder, making);
      await making.finally(() => this.#making.delete(folder));
      if (installedIn !== undefined) linkInstalled(installedIn, code.folders[0]!);
      return code;
    } catch (error) {
      if (error instanceof Deferred) throw error;
      throw new Deferred(`the folder of the old version cannot be made: ${messageOf(error)}`, {
        isLasting: !isShortage(error),
      });
    }
  }

  async #ensure(folder: string, code: ModelCode, manifest: Manifest): Promise<void> {
    if (await this.#isWhole(code)) return;
    await this.#contents.fetch(manifest.files);
    await this.#make(folder, manifest);
    if (!(await this.#isWhole(code))) throw new Error('it differs from the kept files');
  }

  /** Calls `use` with a temporary folder that contains the files, and then removes the folder. */
  async withFolder<T>(files: readonly PlacedFile[], use: (folder: string) => Promise<T>): Promise<T> {
    const folder = path.join(this.#unfinished, randomUUID());
    try {
      await this.#contents.fetch(files);
      await this.#write(folder, files);
      return await use(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Removes all folders except the folders of the versions in `kept`. */
  removeOthers(kept: readonly Manifest[]): void {
    const needed = new Set(kept.map(({ contentHash }) => contentHash));
    for (const hash of this.#hashes()) if (!needed.has(hash)) this.remove(hash);
  }

  /** Whether there is a folder with this hash. It may be damaged. */
  has(hash: string): boolean {
    return existsSync(this.#pathOf(hash));
  }

  /** The hashes of all folders, the oldest folder first. */
  oldestFirst(): string[] {
    const times = this.#hashes().map((hash) => ({ hash, time: statSync(this.#pathOf(hash)).mtimeMs }));
    return times.sort((one, other) => one.time - other.time).map(({ hash }) => hash);
  }

  /** The size of a folder in bytes; undefined if there is no such folder. */
  sizeOf(hash: string): number | undefined {
    if (!this.has(hash)) return undefined;
    let size = this.#sizes.get(hash);
    if (size === undefined) this.#sizes.set(hash, (size = bytesIn(this.#pathOf(hash))));
    return size;
  }

  remove(hash: string): void {
    rmSync(this.#pathOf(hash), { recursive: true, force: true });
    this.#checked.delete(hash);
    this.#sizes.delete(hash);
  }

  #pathOf(hash: string): string {
    return path.join(this.folder, hash);
  }

  #hashes(): string[] {
    return existsSync(this.folder) ? readdirSync(this.folder).filter((name) => name !== UNFINISHED) : [];
  }

  async #isWhole(code: ModelCode): Promise<boolean> {
    let state;
    try {
      state = stateOf(code);
    } catch {
      return false;
    }
    if (this.#checked.get(code.contentHash) === state) return true;
    if ((await hashContent(code)) !== code.contentHash) return false;
    this.#checked.set(code.contentHash, state);
    return true;
  }

  async #write(folder: string, files: readonly PlacedFile[]): Promise<void> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const { path: place, mode, sha256, link } of files) {
      const file = path.join(folder, place);
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      if (link !== undefined) {
        symlinkSync(link, file);
      } else {
        if (!(await this.#contents.copy(sha256, file)))
          throw new Error(`the kept content of ${place} is damaged`);
        chmodSync(file, mode);
      }
    }
  }

  /** Makes the folder in another place, and moves it to its own place when it is complete. */
  async #make(folder: string, { files, imports }: Manifest): Promise<void> {
    const unfinished = path.join(this.#unfinished, randomUUID());
    try {
      await this.#write(unfinished, files);
      // the models that foray ships import its files by their paths
      if (Object.keys(imports).length > 0)
        symlinkSync(path.join(LIBRARY, 'src'), path.join(unfinished, 'src'));
      // a program may still run in the old folder, so only the next start of the service removes this folder
      if (existsSync(folder)) renameSync(folder, path.join(this.#unfinished, randomUUID()));
      renameSync(unfinished, folder);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
}

/** The paths of a version's code in the folder of the version. */
function codeIn(folder: string, { entry, folders, contentHash, files, imports, build }: Manifest): ModelCode {
  const placed = (name: string): string => path.join(folder, name);
  return {
    entry: placed(entry),
    folders: folders.map((name) => path.join(folder, MODELS, name)),
    library: files.flatMap((file) => (file.path.startsWith(`${LIBRARY}/`) ? [placed(file.path)] : [])),
    libraryRoot: placed(LIBRARY),
    contentHash,
    files: [],
    python: build.python ?? undefined,
    imports: Object.fromEntries(Object.entries(imports).map(([name, file]) => [name, placed(file)])),
  };
}

/**
 * Links the packages and virtual environments of a model's folder, the virtual environment beside it, and the nearest
 * `node_modules` above it to the same places around the folder of an old version.
 */
function linkInstalled(from: string, to: string): void {
  const installed = readdirSync(from, { withFileTypes: true })
    .filter(({ name }) => isOfPackages(path.join(from, name)))
    .map(({ name }) => name);
  const beside = ENVIRONMENTS.filter((name) => isOfPackages(path.join(from, name)));
  for (const name of new Set([...installed, ...beside])) link(path.join(from, name), path.join(to, name));
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
