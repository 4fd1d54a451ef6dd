import { setTimeout as pause } from 'node:timers/promises';
import { Backoff } from '../backoff.ts';
import type { Ending, Feed } from './feed.ts';

/** The largest number of endings in one write. */
const MOST_TOGETHER = 200;

export interface RecorderListener {
  /** Endings could not be written. The write will be tried again. */
  refused(endings: readonly Ending[], error: unknown): void;
  written(endings: readonly Ending[]): void;
}

interface Waiting {
  ending: Ending;
  resolve: () => void;
}

/**
 * Writes the ends of executions. A write that fails is repeated until it succeeds or the recorder is closed. Endings
 * that arrive during a write, or too soon after it, are written together.
 */
export class Recorder {
  readonly #feed: Pick<Feed, 'report'>;
  readonly #listener: RecorderListener;
  readonly #waiting: Waiting[] = [];
  readonly #pending = new Set<string>();
  readonly #every: number;
  #isWriting = false;
  #wroteAt = -Infinity;
  /** Ends the pause before the next write. */
  #onFull: () => void = () => {};
  #isOpen = true;

  /**
   * @param every - the shortest time between the starts of two writes, in milliseconds. A full write
   *   (`MOST_TOGETHER` endings) does not wait.
   */
  constructor(feed: Pick<Feed, 'report'>, listener: RecorderListener, every = 0) {
    this.#feed = feed;
    this.#listener = listener;
    this.#every = every;
  }

  /**
   * Writes the end of a run immediately or soon. Resolves when it is written or the recorder is closed. Never rejects.
   */
  record(ending: Ending): Promise<void> {
    return new Promise((resolve) => {
      this.#pending.add(ending.runId);
      this.#waiting.push({ ending, resolve });
      if (this.#waiting.length >= MOST_TOGETHER) this.#onFull();
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  /** Whether the end of the run is not written yet. */
  isPending(id: string): boolean {
    return this.#pending.has(id);
  }

  /** Begins no more attempts to write. */
  close(): void {
    this.#isOpen = false;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      await this.#gather();
      const batch = this.#waiting.splice(0, MOST_TOGETHER);
      await this.#write(batch.map(({ ending }) => ending));
      for (const { ending, resolve } of batch) {
        this.#pending.delete(ending.runId);
        resolve();
      }
    }
    this.#isWriting = false;
  }

  /** Waits for more endings, if the last write began less than `every` milliseconds ago. */
  async #gather(): Promise<void> {
    const rest = this.#wroteAt + this.#every - performance.now();
    if (rest > 0 && this.#waiting.length < MOST_TOGETHER) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, rest);
        this.#onFull = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wroteAt = performance.now();
  }

  async #write(endings: readonly Ending[]): Promise<void> {
    const backoff = new Backoff();
    while (this.#isOpen) {
      try {
        await this.#feed.report(endings);
        return this.#listener.written(endings);
      } catch (error) {
        this.#listener.refused(endings, error);
      }
      await pause(backoff.next(), undefined, { ref: false });
    }
  }
}
