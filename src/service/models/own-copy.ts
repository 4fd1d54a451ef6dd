import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ForayError, messageOf } from '../../errors.ts';
import { fileStamp, statOf } from '../../system/file-stamp.ts';
import { removeFolder, removeFolderSync } from '../../system/remove-folder.ts';
import { Deferred } from '../deferred.ts';
import { isShortage } from '../system-errors.ts';
import { CHANGED, filesOf, hashContent, isOfPackages, type ModelCode } from './folder.ts';

/** A larger file is not copied, in bytes: the copy has a link to it. */
const LARGE = 16 * 2 ** 20;
/** Compiled modules of Python stay in the copy, because they follow from its files. */
const COMPILED = '__pycache__';

/**
 * Copies a model, to load it where it may write files: its own folder stays as it is.
 *
 * @param use - gets the folder with the copy, and an empty folder to work in. Both are removed after use
 * @throws ForayError MODEL_UNREADABLE
 */
export async function withOwnCopy<T>(
  code: ModelCode,
  use: (folder: string, work: string) => Promise<T>,
): Promise<T> {
  const parent = mkdtempSync(path.join(os.tmpdir(), 'foray-load-'));
  const work = path.join(parent, 'work');
  try {
    const copy = new OwnCopy(code, parent);
    try {
      mkdirSync(work);
      await copy.prepare();
    } catch (error) {
      const where = path.dirname(code.entry);
      throw new ForayError('MODEL_UNREADABLE', `The model in ${where} cannot be read: ${messageOf(error)}.`);
    }
    return await use(copy.folder, work);
  } finally {
    await removeFolder(parent);
  }
}

/**
 * A copy of the folder of a command model, in which only one executor works. So a program may write into its own folder:
 * the model, its versions and other runs see nothing of it, and the next run finds the files of the version.
 */
export class OwnCopy {
  /** The folder with the copy. It has the name of the original folder. */
  readonly folder: string;
  readonly #code: ModelCode;
  readonly #source: string;
  /** The stamps of the files, by name; undefined while the copy must be made. */
  #state: ReadonlyMap<string, string> | undefined;
  /** The stamps of the files to which the copy has links, by path. */
  readonly #linked = new Map<string, string | undefined>();

  /** @param parent - the folder for copies */
  constructor(code: ModelCode, parent: string) {
    this.#code = code;
    this.#source = code.folders[0]!;
    this.folder = path.join(parent, code.contentHash.slice(0, 16), path.basename(this.#source));
  }

  /**
   * Makes the copy, if there is none, or if one of its files has changed since the last run.
   *
   * @throws Deferred if the files cannot be copied, or are no more those of the version
   */
  async prepare(): Promise<void> {
    if (this.#state) this.restore();
    // the copy is still whole if none of its files has changed
    if (this.#state) return;
    try {
      this.#state = await this.#make();
    } catch (error) {
      if (error instanceof Deferred) throw error;
      const why = `the model's files cannot be copied: ${messageOf(error)}`;
      throw new Deferred(why, { isLasting: !isShortage(error) });
    }
  }

  /** Whether the copy has the files of the version. */
  get isWhole(): boolean {
    return this.#state !== undefined;
  }

  /**
   * Call this after a run. The author may have changed a file to which the copy only has a link.
   *
   * @throws Deferred if such a file has changed since the copy was made
   */
  checkLinked(): void {
    for (const [file, stamp] of this.#linked) {
      if (fileStamp(file) !== stamp)
        throw new Deferred(`${CHANGED} (${path.basename(file)})`, { isLasting: true });
    }
  }

  /**
   * Removes what a run has written. If the run has changed a file of the model, the next run gets a new copy.
   *
   * @returns the names of all these files, without added folders, relative to the folder
   */
  restore(): string[] {
    const before = this.#state!;
    const found = this.#present();
    const added = [...found.keys()].filter((name) => !before.has(name));
    const changed = [...before].filter(([name, stamp]) => found.get(name) !== stamp);
    if (changed.length > 0) this.#state = undefined;
    removeFolderSync(this.folder, [...added, ...changed.map(([name]) => name)]);
    return [...added.filter((name) => found.get(name) !== ''), ...changed.map(([name]) => name)];
  }

  async #make(): Promise<ReadonlyMap<string, string>> {
    removeFolderSync(this.folder);
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    this.#linked.clear();
    for (const { index, folder, file } of filesOf(this.#code)) {
      // foray's own files are used where they are
      if (index > 0) continue;
      const copy = path.join(this.folder, path.relative(folder, file));
      mkdirSync(path.dirname(copy), { recursive: true, mode: 0o700 });
      this.#copyFile(file, copy);
    }
    const place = { ...this.#code, folders: [this.folder] };
    if ((await hashContent(place)) !== this.#code.contentHash)
      throw new Deferred(CHANGED, { isLasting: true });
    for (const name of readdirSync(this.#source)) {
      const packages = path.join(this.#source, name);
      if (isOfPackages(packages)) symlinkSync(realpathSync(packages), path.join(this.folder, name));
    }
    return this.#look();
  }

  #copyFile(file: string, copy: string): void {
    const found = statOf(file);
    if (!found?.isFile()) return symlinkSync(readlinkSync(file), copy);
    if (found.size > LARGE) {
      const linked = realpathSync(file);
      this.#linked.set(linked, fileStamp(linked));
      return symlinkSync(linked, copy);
    }
    copyFileSync(file, copy, constants.COPYFILE_FICLONE);
    // a program may write into its folder, even if the original files are read-only
    chmodSync(copy, statSync(file).mode | 0o600);
  }

  /** What {@link #look} finds; nothing if the run has removed the folder, or removes it just now. */
  #present(): Map<string, string> {
    try {
      return this.#look();
    } catch {
      return new Map();
    }
  }

  /** The stamps of all files in the copy, by name; an empty text for a folder. */
  #look(): Map<string, string> {
    const found = new Map<string, string>();
    const look = (folder: string): void => {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.name === COMPILED) continue;
        const file = path.join(folder, entry.name);
        found.set(path.relative(this.folder, file), entry.isDirectory() ? '' : stampOf(file));
        if (entry.isDirectory()) look(file);
      }
    };
    look(this.folder);
    return found;
  }
}

/** The stamp of a file, and the target of a link. Packages belong to the machine, so a link to them has no stamp. */
function stampOf(file: string): string {
  const target = lstatSync(file).isSymbolicLink() ? readlinkSync(file) : '';
  return target !== '' && statOf(file)?.isDirectory() ? target : `${target} ${fileStamp(file)}`;
}
