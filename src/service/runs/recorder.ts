import { setTimeout as pause } from 'node:timers/promises';
import { Backoff } from '../backoff.ts';
import type { Ending, Feed } from './feed.ts';

/** The most endings that are written at once. */
const MOST = 200;

export interface RecorderListener {
  /** Endings could not be written, which is tried again. */
  refused(endings: readonly Ending[], error: unknown): void;
  written(endings: readonly Ending[]): void;
}

interface Pending {
  ending: Ending;
  resolve: () => void;
}

/**
 * Writes the ends of executions. If a write is refused, it is tried again until it succeeds. Endings that arrive during a
 * write are written together after it.
 */
export class Recorder {
  readonly #feed: Pick<Feed, 'report'>;
  readonly #listener: RecorderListener;
  readonly #waiting: Pending[] = [];
  readonly #pending = new Set<string>();
  #isWriting = false;
  #open = true;

  constructor(feed: Pick<Feed, 'report'>, listener: RecorderListener) {
    this.#feed = feed;
    this.#listener = listener;
  }

  /** Writes at once, and resolves when it is written. Never rejects. */
  record(ending: Ending): Promise<void> {
    return new Promise((resolve) => {
      this.#pending.add(ending.runId);
      this.#waiting.push({ ending, resolve });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  /** Whether the end of the run is not written yet. */
  isPending(id: string): boolean {
    return this.#pending.has(id);
  }

  /** Ends all further attempts. */
  close(): void {
    this.#open = false;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MOST);
      await this.#write(batch.map(({ ending }) => ending));
      for (const { ending, resolve } of batch) {
        this.#pending.delete(ending.runId);
        resolve();
      }
    }
    this.#isWriting = false;
  }

  async #write(endings: readonly Ending[]): Promise<void> {
    const backoff = new Backoff();
    while (this.#open) {
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
