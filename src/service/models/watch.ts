import path from 'node:path';
import { Backoff } from '../backoff.ts';
import { placesIn, stateOf } from './folder.ts';

/** The shortest time between two checks of the folders of models, in milliseconds. */
const INTERVAL = 500;
/** The largest share of the time that checks may take, if the folders have very many files. */
const SHARE = 0.02;

/**
 * Reads the folders of models after files in them have changed and then stayed the same between two checks, because
 * editors and checkouts write several files. (The system's events would miss changes on network disks.) Unreadable
 * folders are read again until they can be read.
 */
export class ModelWatch {
  readonly #modelDirs: readonly string[];
  readonly #backoff = new Backoff();
  /** The state of the folders that was read last. */
  #settled: string;
  /** The state of the folders at the last check. */
  #last: string;
  /** When the folders are read even if they have not changed, by `performance.now`. */
  #dueAt = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<boolean> | undefined;
  #isOpen = true;

  /** Remembers the state of the folders, so make the watch before the first reading. */
  constructor(modelDirs: readonly string[]) {
    this.#modelDirs = modelDirs;
    this.#settled = this.#last = stateOfAll(modelDirs);
  }

  /** @param read - reads the folders; returns whether all could be read. It never rejects */
  start(read: () => Promise<boolean>): void {
    this.#lookIn(INTERVAL, read);
  }

  /** Reads the folders soon, even if they have not changed. The next check that finds no new change reads them. */
  readSoon(): void {
    this.#dueAt = 0;
  }

  /** Begins no more checks. Resolves when the current reading has ended. */
  async close(): Promise<void> {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    await this.#reading;
  }

  #lookIn(delay: number, read: () => Promise<boolean>): void {
    if (this.#isOpen) this.#timer = setTimeout(() => void this.#look(read), delay).unref();
  }

  async #look(read: () => Promise<boolean>): Promise<void> {
    const start = performance.now();
    const state = stateOfAll(this.#modelDirs);
    const isDue = state !== this.#settled || start >= this.#dueAt;
    const isStill = state === this.#last;
    this.#last = state;
    const took = performance.now() - start;
    if (isDue && isStill) {
      this.#settled = state;
      this.#dueAt = Infinity;
      this.#reading = read();
      if (await this.#reading) this.#backoff.reset();
      else this.#dueAt = Math.min(this.#dueAt, performance.now() + this.#backoff.next());
    }
    this.#lookIn(Math.max(INTERVAL, took / SHARE), read);
  }
}

/** A text that changes whenever a file of a model changes, or what is wrong with a folder. */
function stateOfAll(modelDirs: readonly string[]): string {
  try {
    const complaints: string[] = [];
    const places = modelDirs.flatMap((dir) =>
      placesIn(
        path.resolve(dir),
        [],
        (_folder, problem) => complaints.push(problem.message),
        (sentence) => complaints.push(sentence),
      ),
    );
    return [...places.map(stateOf), ...complaints].join('\n');
  } catch (error) {
    // a file or folder may disappear during the check
    return String(error);
  }
}
