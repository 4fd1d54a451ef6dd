import { createHash, randomUUID } from 'node:crypto';
import {
  constants,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileStamp } from '../../system/file-stamp.ts';
import type { ByteRange } from '../../http/range.ts';
import { removeFolder, removeFolderSync } from '../../system/remove-folder.ts';
import { ServiceError } from '../errors.ts';

/** SHA-256 in base64url without padding, as clients compute it before an upload (notes on real clients, Values). */
const HASH = /^[A-Za-z0-9_-]{43}$/;

/** The hash of empty content. A check of a bucket stores empty content, because this does no harm. */
export const EMPTY = '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU';

/** Whether a text has the form of a file's hash. */
export function isHash(text: string): boolean {
  return HASH.test(text);
}

/** The hashes of the files in a folder that {@link ContentFiles} has filled; none if the folder does not exist. */
export function hashesInIfThere(dir: string): string[] {
  try {
    return hashesIn(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function hashesIn(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && isHash(entry.name)).map(({ name }) => name);
}

/**
 * Files by the hash of their content, in a folder that the service and its executors share. A file is first written
 * under a temporary name, and renamed when it is complete. A file is hashed before its first use, and again when its
 * size or time has changed, so most damage is detected before a use. `recheck` makes all files be hashed again.
 */
export class ContentFiles {
  readonly folder: string;
  readonly #unfinished: string;
  /** The folder of the executors, on the same disk. */
  readonly #executors: string;
  /** The stamps that files had when they were found intact, by hash. */
  readonly #whole = new Map<string, string>();

  /** @param unfinished - the folder of incomplete files, on the same disk; only one service uses it */
  constructor(dir: string, unfinished = path.join(dir, 'unfinished')) {
    this.folder = dir;
    this.#unfinished = unfinished;
    this.#executors = path.join(path.dirname(unfinished), 'executors');
  }

  /** Makes the folder, and removes incomplete files and folders of executors of an earlier process. */
  prepare(): void {
    for (const folder of [this.#unfinished, this.#executors]) removeFolderSync(folder);
    for (const folder of [this.folder, this.#unfinished]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  has(hash: string): boolean {
    return isHash(hash) && existsSync(this.pathOf(hash));
  }

  /** Whether the file exists and matches its hash. A damaged file may be uploaded again. */
  async isWhole(hash: string): Promise<boolean> {
    if (!this.has(hash)) return false;
    const file = this.pathOf(hash);
    const stamp = fileStamp(file);
    if (stamp === undefined) return false;
    if (this.#whole.get(hash) === stamp) return true;
    if ((await hashOfFile(file)) !== hash) return false;
    this.#whole.set(hash, stamp);
    return true;
  }

  /** Checks that a file is whole. @throws ServiceError UNKNOWN_FILE, FILE_DAMAGED */
  async require(hash: string): Promise<void> {
    if (await this.isWhole(hash)) return;
    throw this.has(hash)
      ? new ServiceError('FILE_DAMAGED', damaged(hash))
      : new ServiceError('UNKNOWN_FILE', `No file with the hash ${hash} is stored.`);
  }

  /** A stream of a file, or of a part of it. @throws ServiceError UNKNOWN_FILE, FILE_DAMAGED */
  async open(hash: string, { first, last }: Partial<ByteRange> = {}): Promise<Readable> {
    await this.require(hash);
    return createReadStream(this.pathOf(hash), { start: first, end: last });
  }

  /** @throws Error if there is no such file, or it is damaged */
  read(hash: string): Uint8Array {
    const content = readFileSync(this.pathOf(hash));
    if (hashOf(content) !== hash) throw new Error(damaged(hash));
    return content;
  }

  /** Stores the content and returns its hash. Replaces a damaged file with this hash. */
  write(content: Uint8Array | string): string {
    const hash = hashOf(content);
    const unfinished = this.unfinishedPath();
    try {
      writeFileSync(unfinished, content);
      this.adopt(unfinished, hash);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
    return hash;
  }

  /** Moves a complete file into the folder if it has the expected hash. Returns whether the file was moved. */
  async adoptAs(unfinished: string, hash: string): Promise<boolean> {
    if ((await hashOfFile(unfinished)) !== hash) return false;
    this.adopt(unfinished, hash);
    return true;
  }

  /** Moves a file into the folder, without holding it in memory; returns its hash. */
  async addFile(file: string): Promise<string> {
    const hash = await hashOfFile(file);
    this.adopt(file, hash);
    return hash;
  }

  /** Stores a copy of a file with an expected hash, unless it is stored; returns false if the file has another hash. */
  async copy(file: string, hash: string): Promise<boolean> {
    if (await this.isWhole(hash)) return true;
    const unfinished = this.unfinishedPath();
    try {
      await copyFile(file, unfinished, constants.COPYFILE_FICLONE);
      await chmod(unfinished, 0o600);
      return await this.adoptAs(unfinished, hash);
    } finally {
      rmSync(unfinished, { force: true });
    }
  }

  /** Copies a stored file to a path; returns false if it is damaged. */
  async copyTo(hash: string, file: string): Promise<boolean> {
    await copyFile(this.pathOf(hash), file, constants.COPYFILE_FICLONE);
    return (await hashOfFile(file)) === hash;
  }

  /** Removes all files except those with given hashes; returns the removed bytes. */
  removeOthers(hashes: ReadonlySet<string>): number {
    let bytes = 0;
    for (const hash of hashesIn(this.folder)) {
      if (hashes.has(hash)) continue;
      bytes += this.sizeOf(hash) ?? 0;
      this.remove(hash);
    }
    return bytes;
  }

  /** The hashes of all files, the oldest file first. */
  oldestFirst(): string[] {
    const times = hashesIn(this.folder).map((hash) => ({
      hash,
      time: statSync(this.pathOf(hash), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }));
    return times.sort((one, other) => one.time - other.time).map(({ hash }) => hash);
  }

  /** The size of a file in bytes; undefined if there is no such file. */
  sizeOf(hash: string): number | undefined {
    return statSync(this.pathOf(hash), { throwIfNoEntry: false })?.size;
  }

  remove(hash: string): void {
    rmSync(this.pathOf(hash), { force: true });
    this.#whole.delete(hash);
  }

  /**
   * Makes sure that all files are hashed again before their next use. Otherwise only their sizes and times are
   * compared, and damage by a disk does not change these.
   */
  recheck(): void {
    this.#whole.clear();
  }

  /** The working folder of a run's program. It is on the same disk as the files, and counts as unfinished. */
  workPath(runId: string): string {
    return path.join(this.#unfinished, `run-${runId}`);
  }

  async removeWork(runId: string): Promise<void> {
    await removeFolder(this.workPath(runId));
  }

  /** The folder of an executor. @param mark - its mark in the environment, `NAME=VALUE` */
  executorPath(mark: string): string {
    return path.join(this.#executors, mark.split('=').at(-1)!);
  }

  async removeExecutor(mark: string): Promise<void> {
    await removeFolder(this.executorPath(mark));
  }

  /** A new path for a file that is not complete yet. */
  unfinishedPath(): string {
    return path.join(this.#unfinished, randomUUID());
  }

  /** Moves a complete file into the folder under its hash. The caller has just computed the hash. */
  adopt(unfinished: string, hash: string): void {
    const target = this.pathOf(hash);
    mkdirSync(path.dirname(target), { recursive: true });
    renameSync(unfinished, target);
    const stamp = fileStamp(target);
    if (stamp !== undefined) this.#whole.set(hash, stamp);
  }

  /** @throws Error if the text is not a hash. The text may come from a request, and must not lead outside the folder */
  pathOf(hash: string): string {
    if (!isHash(hash)) throw new Error(`"${hash}" is not a file's hash`);
    return path.join(this.folder, hash.slice(0, 2), hash);
  }
}

async function hashOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('base64url');
}

function hashOf(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('base64url');
}

function damaged(hash: string): string {
  return `The file ${hash} is damaged on the service's disk: upload it again, or restore it from a copy.`;
}
