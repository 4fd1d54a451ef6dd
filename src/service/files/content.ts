import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** SHA-256 in base64url without padding, as clients compute it before an upload (notes on real clients, Values). */
const HASH = /^[A-Za-z0-9_-]{43}$/;

/**
 * Files by the hash of their content, in a folder that the service and its executors share. A file is written under a
 * name of its own first and renamed when it is whole: under a hash there is never anything else than its content.
 */
export class ContentFiles {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Makes the folder ready, without what an earlier process left half-written. */
  prepare(): void {
    rmSync(path.join(this.#dir, 'unfinished'), { recursive: true, force: true });
    mkdirSync(path.join(this.#dir, 'unfinished'), { recursive: true });
  }

  has(hash: string): boolean {
    return HASH.test(hash) && existsSync(this.pathOf(hash));
  }

  /** @throws Error when there is no such file */
  read(hash: string): Uint8Array {
    return readFileSync(this.pathOf(hash));
  }

  /** Stores the content; returns its hash. */
  write(content: Uint8Array | string): string {
    const hash = createHash('sha256').update(content).digest('base64url');
    if (!this.has(hash)) {
      const unfinished = this.unfinishedPath();
      writeFileSync(unfinished, content);
      this.adopt(unfinished, hash);
    }
    return hash;
  }

  /** Where a file that is still being written goes. */
  unfinishedPath(): string {
    return path.join(this.#dir, 'unfinished', randomUUID());
  }

  /** Takes a finished file in under its hash. */
  adopt(unfinished: string, hash: string): void {
    const target = this.pathOf(hash);
    mkdirSync(path.dirname(target), { recursive: true });
    renameSync(unfinished, target);
  }

  /** @throws Error when the text is not a hash: it comes from requests, and must not lead out of the folder */
  pathOf(hash: string): string {
    if (!HASH.test(hash)) throw new Error(`"${hash}" is not a file's hash`);
    return path.join(this.#dir, hash.slice(0, 2), hash);
  }
}
