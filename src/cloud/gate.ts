import { setTimeout as delay } from 'node:timers/promises';

/** The longest delay of a Node timer, ms. A timer with a longer delay fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Limits the rate of requests with a token bucket, which holds the requests of one second. Blocks all requests until a
 * time that the service asked for.
 */
export class Gate {
  readonly #rate: number;
  #tokens: number;
  #filledAt = performance.now();
  #blockedUntil = 0;

  /** @param rate - the most requests per second; Infinity for no limit */
  constructor(rate: number) {
    this.#rate = rate;
    this.#tokens = Math.max(1, rate);
  }

  /** Blocks all requests for this many ms from now. */
  blockFor(ms: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, performance.now() + ms);
  }

  /** Resolves when the caller may make one request; rejects when the signal aborts. */
  async pass(signal?: AbortSignal): Promise<void> {
    for (;;) {
      const wait = this.#takeToken(performance.now());
      if (wait <= 0) return;
      await delay(Math.min(LONGEST_TIMER, Math.ceil(wait)), undefined, signal ? { signal } : {});
    }
  }

  /** Takes a token and returns 0. If no request may be made yet, returns the time to wait in ms. */
  #takeToken(now: number): number {
    if (now < this.#blockedUntil) return this.#blockedUntil - now;
    if (this.#rate === Infinity) return 0;
    const most = Math.max(1, this.#rate);
    this.#tokens = Math.min(most, this.#tokens + ((now - this.#filledAt) * this.#rate) / 1_000);
    this.#filledAt = now;
    if (this.#tokens < 1) return ((1 - this.#tokens) * 1_000) / this.#rate;
    this.#tokens -= 1;
    return 0;
  }
}
