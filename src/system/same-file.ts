import { statSync } from 'node:fs';
import { logOf } from './database-file.ts';

/** A result of a check is used again for this time, ms. */
const FRESH = 250;

/**
 * Tells whether the path of an open SQLite database still leads to the file that it led to at first, and to the same
 * log. A program that has opened a file can read and write it after somebody removed or replaced it. Such changes are
 * lost, and no error tells it. While a program has the database open, SQLite does not remove the log.
 */
export class SameFile {
  readonly #path: string;
  readonly #first: string | undefined;
  /** SQLite makes the log at the first access. */
  #log: string | undefined;
  #checked = performance.now();
  #isSame = true;

  constructor(path: string) {
    this.#path = path;
    this.#first = identityOf(path);
  }

  /** The answer is at most {@link FRESH} ms old. */
  isSame(): boolean {
    const now = performance.now();
    this.#log ??= identityOf(logOf(this.#path));
    if (now - this.#checked >= FRESH) {
      this.#isSame = identityOf(this.#path) === this.#first && identityOf(logOf(this.#path)) === this.#log;
      this.#checked = now;
    }
    return this.#isSame;
  }
}

/** The device and the number of a file; undefined if there is none, or if nobody can know it. */
export function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}-${ino}`;
  } catch {
    return undefined;
  }
}
