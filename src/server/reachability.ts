import { setTimeout as delay } from 'node:timers/promises';
import type { Foray } from '../client/index.ts';
import { ForayError } from '../errors.ts';

/** The services that foray needs and reaches over the network. */
export type Neighbour = 'service' | 'temporal';

/** For each service that does not answer: the time since which it is silent, ms since the epoch. */
export type Absences = Readonly<Partial<Record<Neighbour, number>>>;

/** How long a check of both services is valid for a page, ms. */
const FRESH = 3_000;
/** How long a check is valid while a request waits for the model service, ms. */
const FRESH_FOR_WAITING = 1_000;
/** How long a service must be silent before a request that needs it is refused, ms. */
const GONE_AFTER = 10_000;
/** The pause between two checks while a request waits, ms. */
const PAUSE = 250;

const errorOf: Record<Neighbour, () => ForayError> = {
  service: () =>
    new ForayError('SERVICE_UNREACHABLE', 'The model service does not answer.', {
      hint: 'Try again when it answers. You can look at campaigns and their results in the meantime.',
    }),
  temporal: () =>
    new ForayError('TEMPORAL_UNREACHABLE', 'Temporal does not answer, so nothing was changed.', {
      hint: 'Try again when it answers.',
    }),
};

/** Whether the model service and Temporal answer. They are checked only when a page or a request needs to know it. */
export class Reachability {
  readonly #foray: Pick<Foray, 'answers'>;
  #absences: Absences = {};
  #checkedAt = -Infinity;
  #checking: Promise<void> | undefined;

  constructor(foray: Pick<Foray, 'answers'>) {
    this.#foray = foray;
  }

  /**
   * The services that do not answer. If one is already known to be silent, this method returns at once. Otherwise it
   * waits for a running check, which takes at most about 2.4 seconds.
   *
   * @param fresh - how old the last check may be, ms
   */
  async absences(fresh = FRESH): Promise<Absences> {
    if (performance.now() - this.#checkedAt > fresh) this.#checking ??= this.#check();
    if (Object.keys(this.#absences).length === 0) await this.#checking;
    return this.#absences;
  }

  /**
   * Waits until the given services answer. Throws only after a service was silent for ten seconds, because a busy
   * machine may answer late.
   * @throws ForayError SERVICE_UNREACHABLE, TEMPORAL_UNREACHABLE
   */
  async waitFor(...neighbours: readonly Neighbour[]): Promise<void> {
    for (;;) {
      await (this.#checking ??= this.#check());
      if (neighbours.every((neighbour) => this.#absences[neighbour] === undefined)) return;
      this.#refuseSilent(neighbours, GONE_AFTER);
      await delay(PAUSE);
    }
  }

  /**
   * Sends a request to the model service for a page. Throws when the service has been silent for `patience`, because a
   * frozen service accepts connections and never answers. The request must change nothing, because a late answer is
   * lost.
   *
   * @param patience - how long the service may be silent, ms
   * @throws ForayError SERVICE_UNREACHABLE
   */
  async whileThere<T>(ask: () => Promise<T>, patience = GONE_AFTER): Promise<T> {
    await this.absences();
    this.#refuseSilent(['service'], patience);
    const end = new AbortController();
    try {
      return await Promise.race([ask(), this.#untilSilent(patience, end.signal)]);
    } finally {
      end.abort();
    }
  }

  async #untilSilent(patience: number, signal: AbortSignal): Promise<never> {
    for (;;) {
      await delay(PAUSE, undefined, { signal });
      await this.absences(FRESH_FOR_WAITING);
      this.#refuseSilent(['service'], patience);
    }
  }

  /** Throws if one of the services has been silent for `patience`. */
  #refuseSilent(neighbours: readonly Neighbour[], patience: number): void {
    for (const neighbour of neighbours) {
      const since = this.#absences[neighbour];
      if (since !== undefined && Date.now() - since >= patience) throw errorOf[neighbour]();
    }
  }

  async #check(): Promise<void> {
    const now = Date.now();
    try {
      const answers = await this.#foray.answers();
      const silent = (['service', 'temporal'] as const).filter((neighbour) => !answers[neighbour]);
      this.#absences = Object.fromEntries(
        silent.map((neighbour) => [neighbour, this.#absences[neighbour] ?? now]),
      );
    } finally {
      this.#checkedAt = performance.now();
      this.#checking = undefined;
    }
  }
}
