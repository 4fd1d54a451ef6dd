import { createHash, randomUUID } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ServiceError } from '../errors.ts';

/** SHA-256 in base64url without padding, as clients compute it before an upload (notes on real clients, Values). */
const HASH = /^[A-Za-z0-9_-]{43}$/;

/**
 * Files by the hash of their content, in a folder that the service and its executors share. A file is written under a
 * name of its own first and renamed when it is whole. What a disk or a person has done to it since is found out before it
 * is used: a file is hashed anew when it is first asked for, and again when it has changed.
 */
export class ContentFiles {
  readonly #dir: string;
  /** Files that were found whole, with what tells their state. */
  readonly #whole = new Map<string, string>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Makes the folder ready, without what an earlier process left half-written. */
  prepare(): void {
    rmSync(path.join(this.#dir, 'unfinished'), { recursive: true, force: true });
    mkdirSync(path.join(this.#dir, 'unfinished'), { recursive: true, mode: 0o700 });
  }

  has(hash: string): boolean {
    return HASH.test(hash) && existsSync(this.pathOf(hash));
  }

  /** Whether the file is there and is what its hash says; one that is damaged may be uploaded again. */
  async isWhole(hash: string): Promise<boolean> {
    if (!this.has(hash)) return false;
    const file = this.pathOf(hash);
    const state = stateOf(file);
    if (this.#whole.get(hash) === state) return true;
    if ((await hashOfFile(file)) !== hash) return false;
    this.#whole.set(hash, state);
    return true;
  }

  /** @throws ServiceError UNKNOWN_FILE, FILE_DAMAGED */
  async require(hash: string): Promise<void> {
    if (await this.isWhole(hash)) return;
    throw this.has(hash)
      ? new ServiceError('FILE_DAMAGED', damaged(hash))
      : new ServiceError('UNKNOWN_FILE', `No file with the hash ${hash} is stored.`);
  }

  /** @throws Error when there is no such file, or it is damaged */
  read(hash: string): Uint8Array {
    const content = readFileSync(this.pathOf(hash));
    if (hashOf(content) !== hash) throw new Error(damaged(hash));
    return content;
  }

  /** Stores the content, also over a damaged file; returns its hash. */
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

  /** Takes a file in from where it is, without reading it into memory; returns its hash. */
  async take(file: string): Promise<string> {
    const hash = await hashOfFile(file);
    this.adopt(file, hash);
    return hash;
  }

  /** The folder in which a run's program works, if it has one; on the disk of the files, and as unfinished. */
  workPath(runId: string): string {
    return path.join(this.#dir, 'unfinished', `run-${runId}`);
  }

  /** Removes what an ended run's program has left. */
  async removeWork(runId: string): Promise<void> {
    await rm(this.workPath(runId), { recursive: true, force: true, maxRetries: 3 });
  }

  /** Where a file that is still being written goes. */
  unfinishedPath(): string {
    return path.join(this.#dir, 'unfinished', randomUUID());
  }

  /** Takes a finished file in under its hash, which it was just found to have. */
  adopt(unfinished: string, hash: string): void {
    const target = this.pathOf(hash);
    mkdirSync(path.dirname(target), { recursive: true });
    renameSync(unfinished, target);
    this.#whole.set(hash, stateOf(target));
  }

  /** @throws Error when the text is not a hash: it comes from requests, and must not lead out of the folder */
  pathOf(hash: string): string {
    if (!HASH.test(hash)) throw new Error(`"${hash}" is not a file's hash`);
    return path.join(this.#dir, hash.slice(0, 2), hash);
  }
}

/** Tells one state of a file from another. */
function stateOf(file: string): string {
  const { ino, size, mtimeMs } = statSync(file);
  return `${ino} ${size} ${mtimeMs}`;
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
