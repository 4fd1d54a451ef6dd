import { statfsSync } from 'node:fs';
import type { ContentFiles } from './content.ts';

/** The largest size of all copies by default, in bytes. */
const MOST = 10 * 2 ** 30;

/** Copies by their hashes, in a folder. Each copy is a file, or a folder of files. */
export interface Copies {
  readonly folder: string;
  prepare(): void;
  /** The hashes of all copies, the oldest copy first. */
  oldestFirst(): string[];
  /** The size of a copy in bytes; undefined if there is no such copy. */
  sizeOf(hash: string): number | undefined;
  remove(hash: string): void;
}

/**
 * Copies of files of a store, in a folder that belongs to this process. If the copies have more bytes
 * than the limit (by default 10 GiB), or more than the disk has free, the least recently used copies are removed.
 * Copies that runs use stay.
 */
export class FileCache<Files extends Copies = ContentFiles> {
  readonly files: Files;
  readonly #most: number;
  /** The sizes of copies in bytes, by hash. The most recently used copy is the last one. */
  readonly #copies = new Map<string, number>();
  /** How often each held file is held, by hash. A held file need not have a copy yet. */
  readonly #holds = new Map<string, number>();
  #bytes = 0;

  constructor(files: Files, most = MOST) {
    this.files = files;
    this.#most = most;
  }

  /** Prepares the folder, and keeps the copies that an earlier process has left there. */
  prepare(): void {
    this.files.prepare();
    for (const hash of this.files.oldestFirst()) this.#note(hash);
    this.#shrink();
  }

  /** Keeps the copies of files, including later copies, until they are released the same number of times. */
  hold(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#holds.set(hash, (this.#holds.get(hash) ?? 0) + 1);
  }

  /** Ends a hold on copies, and notes that they were used now. A copy without holds may be removed. */
  release(hashes: Iterable<string>): void {
    let isChanged = false;
    for (const hash of hashes) {
      const holds = this.#holds.get(hash)! - 1;
      if (holds > 0) this.#holds.set(hash, holds);
      else this.#holds.delete(hash);
      // a known copy that others still hold stays, and the last release notes its use
      if (holds > 0 && this.has(hash)) continue;
      this.#note(hash);
      isChanged = true;
    }
    if (isChanged) this.#shrink();
  }

  /** Whether there is a copy. One that somebody has removed from the folder is still known until it is used. */
  has(hash: string): boolean {
    return this.#copies.has(hash);
  }

  /** Notes the present size of a copy, which is now the most recently used one, or that there is no such copy. */
  #note(hash: string): void {
    const size = this.files.sizeOf(hash);
    this.#bytes += (size ?? 0) - (this.#copies.get(hash) ?? 0);
    this.#copies.delete(hash);
    if (size !== undefined) this.#copies.set(hash, size);
  }

  #shrink(): void {
    for (const hash of this.#copies.keys()) {
      if (this.#bytes <= this.#limit()) return;
      if (this.#holds.has(hash)) continue;
      this.files.remove(hash);
      this.#note(hash);
    }
  }

  #limit(): number {
    const { bavail, bsize } = statfsSync(this.files.folder);
    return Math.min(this.#most, bavail * bsize);
  }
}
