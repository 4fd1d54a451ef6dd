/** First and longest delay, in milliseconds. */
const FIRST = 100;
const LONGEST = 5_000;

/** Delays before further tries of what has failed: each is twice the one before, up to 5 s. */
export class Backoff {
  #delay = FIRST;

  /** The next delay, in milliseconds. */
  next(): number {
    const delay = this.#delay;
    this.#delay = Math.min(2 * delay, LONGEST);
    return delay;
  }

  /** It has succeeded. */
  reset(): void {
    this.#delay = FIRST;
  }
}

/** Holds something back after a failure, for longer with each failure that follows. */
export class Hold {
  readonly #onRelease: () => void;
  readonly #backoff = new Backoff();
  #timer: NodeJS.Timeout | undefined;

  /** @param onRelease - called when it may be tried again */
  constructor(onRelease: () => void) {
    this.#onRelease = onRelease;
  }

  get isHeld(): boolean {
    return this.#timer !== undefined;
  }

  /** It has failed. Failures of tries that were made together count once. */
  hold(): void {
    this.#timer ??= setTimeout(() => this.#release(), this.#backoff.next()).unref();
  }

  /** It has succeeded, or what it failed of has changed. */
  reset(): void {
    this.#backoff.reset();
    if (this.isHeld) this.#release();
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#onRelease();
  }
}
