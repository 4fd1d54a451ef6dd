/** The first delay, in milliseconds. */
const FIRST = 100;
/** The longest delay, in milliseconds. */
const LONGEST = 5_000;

/** Delays before further attempts. Each delay is twice the one before, up to 5 s. */
export class Backoff {
  #delay = FIRST;

  /** The next delay, in milliseconds. */
  next(): number {
    const delay = this.#delay;
    this.#delay = Math.min(2 * delay, LONGEST);
    return delay;
  }

  /** Resets the delay after a success. */
  reset(): void {
    this.#delay = FIRST;
  }
}

/** Delays work after a failure. Each further failure doubles the delay, up to 5 s. A success resets it. */
export class Hold {
  readonly #onRelease: () => void;
  readonly #backoff = new Backoff();
  #timer: NodeJS.Timeout | undefined;

  /** @param onRelease - called when a further attempt is allowed */
  constructor(onRelease: () => void) {
    this.#onRelease = onRelease;
  }

  get isHeld(): boolean {
    return this.#timer !== undefined;
  }

  /** Notes a failure. A failure during a delay does not count, because its attempt began before the delay. */
  hold(): void {
    this.#timer ??= setTimeout(() => this.#release(), this.#backoff.next()).unref();
  }

  /** Notes a success, or that the cause of the failure has changed. */
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
