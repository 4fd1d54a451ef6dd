import { Worker } from 'node:worker_threads';
import type { CampaignStatus } from '../../client/index.ts';
import type { ErrorCode } from '../../error-codes.ts';
import { ForayError } from '../../errors.ts';
import { ownModule } from '../../package/own-files.ts';
import { numberText } from '../../report/words/words.ts';
import type { BestValue, GatherOrder, News, Seen, View } from './look.ts';

/**
 * Maximum number of views that are kept up to date at once. A further view takes a place of a key that has more views
 * than its own. If there is none, it is not drawn until one of them ends.
 */
const MOST_WATCHED = 8;
/** How long a view is kept up to date after its last request, ms. */
const KEPT = 60_000;
/** The time until the next request while nothing is drawn yet, ms. */
const SOON = 500;

/**
 * After the runs of a campaign were read for its best value, the next read waits for this many times the duration of
 * the read. So the reads of one campaign take at most a tenth of the time.
 */
const PAUSE_FOR_READING = 9;

const NOTHING: Seen = { version: '', asOf: null, changedAt: null, finished: 0, sections: [], next: SOON };

interface Watched {
  /** The hash of the key that asked for the view first. */
  keyHash: string;
  lookedAt: number;
  seen: Seen;
  error?: Error;
}

/** The best value of a campaign in one state. */
interface Best {
  /** The time of the last change of the campaign, ISO 8601. */
  state: string;
  value: BestValue | null;
  /** When the thread was asked, by a monotonic clock, ms. */
  asked: number;
  /** When the thread answered; undefined until then. */
  told: number | undefined;
}

/**
 * The pictures of campaigns. A separate thread keeps them up to date while somebody views them. All viewers of one view
 * share one reading of the campaign's runs.
 */
export class Sections {
  readonly #store: string;
  readonly #watched = new Map<string, Watched>();
  readonly #bests = new Map<string, Best>();
  #thread: Worker | undefined;
  #sweep: NodeJS.Timeout | undefined;

  /** @param store - the store's address */
  constructor(store: string) {
    this.#store = store;
  }

  /**
   * Returns the last drawn state of a view, without waiting for a drawing.
   * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
   */
  look(id: string, view: View, keyHash: string): Promise<Seen> {
    const key = JSON.stringify([id, view.show, view.inputs, view.axes]);
    const now = performance.now();
    const known = this.#watched.get(key);
    if (known) {
      known.lookedAt = now;
      if (!known.error) return Promise.resolve(known.seen);
      this.#watched.delete(key);
      return Promise.reject(known.error);
    }
    if (this.#watched.size >= MOST_WATCHED) this.#makeRoom(keyHash);
    if (this.#watched.size < MOST_WATCHED) {
      this.#watched.set(key, { keyHash, lookedAt: now, seen: NOTHING });
      this.#order({ kind: 'watch', key, id, view });
    }
    return Promise.resolve(NOTHING);
  }

  /**
   * The best value of a campaign; null without a goal, and while the value is unknown. The thread reads the campaign again
   * if it has changed. The status of a search or a selection contains the value, and the thread adds its interval.
   *
   * @param status - from the store, so that `asOf` is the time of the last change
   */
  best({ id, goal, strategy, asOf: state }: CampaignStatus): BestValue | null {
    if (goal === null) return null;
    const known = this.#bests.get(id);
    const now = performance.now();
    const isDue =
      known?.told !== undefined && now - known.told > PAUSE_FOR_READING * (known.told - known.asked);
    if (!known || (known.state !== state && isDue)) {
      this.#bests.set(id, { state, value: known?.value ?? null, asked: now, told: undefined });
      this.#order({ kind: 'best', key: id, id });
    }
    const told = known?.value ?? null;
    if (!('best' in strategy)) return told;
    const value = strategy.best?.value;
    if (value === undefined) return null;
    return value === told?.value ? told : { value, text: numberText(value) };
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    this.#watched.clear();
    await this.#thread?.terminate();
  }

  #order(order: GatherOrder): void {
    this.#thread ??= this.#start();
    this.#thread.postMessage(order);
  }

  #start(): Worker {
    this.#sweep ??= setInterval(() => this.#forget(), SOON).unref();
    const thread = new Worker(ownModule('src/server/live/gather-thread'), {
      workerData: this.#store,
      // rows are short-lived: a larger young generation takes 60 MB more for a million runs, and saves no time
      // (bench -- page)
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    });
    thread.unref();
    thread.on('message', (news: News) => {
      if ('best' in news) {
        const asked = this.#bests.get(news.key);
        if (asked) Object.assign(asked, { value: news.best, told: performance.now() });
        return;
      }
      const watched = this.#watched.get(news.key);
      if (!watched) return;
      if ('seen' in news) watched.seen = news.seen;
      else watched.error = errorOf(news.error);
    });
    // the next order starts a new thread
    thread.on('error', (error) => {
      for (const watched of this.#watched.values()) watched.error = error as Error;
      this.#bests.clear();
    });
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    return thread;
  }

  /**
   * Makes room for a view. First go views that change no more: those with an error and those of closed campaigns. Then
   * goes a view of the key with most views, if that key still has as many as this one afterwards. So keys that have the
   * same number do not take places from each other again and again. Of all these, the view goes that nobody has looked at
   * for the longest time.
   */
  #makeRoom(keyHash: string): void {
    const counts = new Map([[keyHash, 0]]);
    for (const { keyHash: own } of this.#watched.values()) counts.set(own, (counts.get(own) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const all = [...this.#watched].sort(([, a], [, b]) => a.lookedAt - b.lookedAt);
    const isFinal = ({ error, seen }: Watched): boolean =>
      error !== undefined || (seen.version !== '' && seen.next === 0);
    const mayTake = most > counts.get(keyHash)! + 1;
    const last =
      all.find(([, view]) => isFinal(view)) ??
      all.find(([, view]) => mayTake && counts.get(view.keyHash) === most);
    if (last) this.#end(last[0]);
  }

  /** Ends views that nobody has requested for a while. */
  #forget(): void {
    for (const [key, { lookedAt }] of this.#watched) if (performance.now() - lookedAt >= KEPT) this.#end(key);
  }

  #end(key: string): void {
    this.#watched.delete(key);
    this.#order({ kind: 'forget', key });
  }
}

function errorOf({ code, message, hint }: Extract<News, { error: unknown }>['error']): Error {
  return code === 'INTERNAL' ? new Error(message) : new ForayError(code as ErrorCode, message, { hint });
}
