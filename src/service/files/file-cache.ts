import { statfsSync } from 'node:fs';
import type { ContentFiles } from './content.ts';

/** The most bytes of copies, as long as the disk has as much room. */
const MOST = 10 * 2 ** 30;

/**
 * Copies of files that are kept elsewhere, in a folder that no other process removes files from. The copies that were not used for the
 * longest time go when all have more than 10 GB, or more than the disk has free. Those that runs use stay.
 */
export class FileCache {
  readonly files: ContentFiles;
  readonly #most: number;
  /** The sizes of copies in bytes, by hash; the one that was used last is the last. */
  readonly #copies = new Map<string, number>();
  /** How often each file is held. */
  readonly #holds = new Map<string, number>();
  #bytes = 0;

  constructor(files: ContentFiles, most = MOST) {
    this.files = files;
    this.#most = most;
  }

  /** Prepares the folder, and takes over the copies that an earlier process has left there. */
  prepare(): void {
    this.files.prepare();
    for (const hash of this.files.oldestFirst()) this.#add(hash);
    this.#shrink();
  }

  /** Keeps copies of files, also those that come later, until they are released as often. */
  hold(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#holds.set(hash, (this.#holds.get(hash) ?? 0) + 1);
  }

  /** The copies that are there were used just now, and may go when nothing else holds them. */
  release(hashes: Iterable<string>): void {
    for (const hash of hashes) {
      const holds = this.#holds.get(hash)! - 1;
      if (holds > 0) this.#holds.set(hash, holds);
      else this.#holds.delete(hash);
      this.#add(hash);
    }
    this.#shrink();
  }

  #add(hash: string): void {
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
      this.#add(hash);
    }
  }

  #limit(): number {
    const { bavail, bsize } = statfsSync(this.files.folder);
    return Math.min(this.#most, bavail * bsize);
  }
}
