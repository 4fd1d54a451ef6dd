export interface RepeatedCheckOptions {
  /** The check. It never rejects. */
  check: () => Promise<void>;
  /** The interval, in milliseconds. */
  every: number;
  /** The time in which several requests lead to only one check, in milliseconds. @default 0 */
  gather?: () => number;
}

/**
 * Repeats a check at an interval, and soon after a request. Two checks never overlap. A request during a check leads to
 * another check soon after, because the current check may have missed the reason for the request.
 */
export class RepeatedCheck {
  readonly #options: RepeatedCheckOptions;
  readonly #timer: NodeJS.Timeout;
  #soon: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #hasMissed = false;
  #isClosed = false;

  constructor(options: RepeatedCheckOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#check(), options.every).unref();
  }

  /** Requests a check soon. It never throws. */
  request(): void {
    if (this.#isClosed) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      if (this.#checking) this.#hasMissed = true;
      else void this.#check();
    }, this.#options.gather?.() ?? 0);
  }

  /** Begins no more checks. Resolves when the current check has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    await this.#checking;
  }

  async #check(): Promise<void> {
    if (this.#checking) return;
    this.#hasMissed = false;
    await (this.#checking = this.#options.check());
    this.#checking = undefined;
    if (this.#hasMissed) this.request();
  }
}
