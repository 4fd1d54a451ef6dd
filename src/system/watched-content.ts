import { readFileSync, statSync } from 'node:fs';
import { fileStamp } from './file-stamp.ts';

/**
 * A file with unchanged stamp is read again after this time, ms. Two writes in the same moment may have the same stamp.
 */
const READ_AGAIN = 3_000;

/** The largest file that is read, in bytes. */
const MOST = 16 * 1024 ** 2;
const FOR_OWNER = 0o400;

/**
 * Reads a file with keys. A pipe or a very large file could hold the process, so they are refused. A file that its
 * owner may not read is refused also if this process belongs to root, who may read every file.
 *
 * @throws Error with the reason
 */
export function readSmallFile(file: string): string {
  const stats = statSync(file);
  if (!stats.isFile()) throw new Error('it is not a file');
  if (stats.size > MOST) throw new Error(`it has more than ${MOST} bytes`);
  if (process.platform !== 'win32' && (stats.mode & FOR_OWNER) === 0)
    throw new Error('its permissions do not allow it');
  return readFileSync(file, 'utf8');
}

/** Reads a small file again when it may have changed. */
export class WatchedContent {
  readonly #file: string;
  #stamp: string | undefined;
  #text: string | undefined;
  #readAt = -Infinity;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Whether the file has changed since the last call, in its content, its permissions or its existence. The first call
   * returns true.
   */
  hasChanged(): boolean {
    const now = performance.now();
    const stamp = this.#stampNow();
    if (stamp === this.#stamp && now - this.#readAt < READ_AGAIN) return false;
    this.#readAt = now;
    const text = this.#textNow();
    const hasChanged = stamp !== this.#stamp || text !== this.#text;
    this.#stamp = stamp;
    this.#text = text;
    return hasChanged;
  }

  /** The text at the last call of `hasChanged`; empty if the file could not be read. */
  get text(): string {
    return this.#text ?? '';
  }

  #stampNow(): string {
    try {
      return fileStamp(this.#file) ?? 'missing';
    } catch {
      return 'unreadable';
    }
  }

  #textNow(): string | undefined {
    try {
      return readSmallFile(this.#file);
    } catch {
      return undefined;
    }
  }
}
