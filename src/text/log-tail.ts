/** A longer line of a log is cut to this length, in characters. */
export const LONGEST_LINE = 2_000;

/** The limits of a kept log. */
interface LogLimits {
  lines: number;
  /** The size of all lines with their line breaks. */
  characters: number;
}

/**
 * The limits of the log of a failed run, in the service and in the store of campaigns. The service chooses the last
 * lines of both output streams. The store does not know the stream of a line, so it cannot do the same. Both have the
 * same limits, so that the store need not leave lines out.
 */
export const KEPT_LOG: LogLimits = { lines: 100, characters: 16 * 1024 };

/** The last lines of a log, within limits. A line that is too long is cut. Control characters are kept. */
export class LogTail {
  readonly lines: string[] = [];
  readonly #limits: LogLimits;
  #characters = 0;
  #omitted: number;

  /** @param omitted - number of lines that were left out before the first added line */
  constructor(limits: LogLimits, omitted = 0) {
    this.#limits = limits;
    this.#omitted = omitted;
  }

  /** The number of lines before the kept ones. */
  get omitted(): number {
    return this.#omitted;
  }

  add(line: string): void {
    const kept = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
    this.lines.push(kept);
    this.#characters += kept.length + 1;
    while (this.lines.length > this.#limits.lines || this.#characters > this.#limits.characters) {
      this.#characters -= this.lines.shift()!.length + 1;
      this.#omitted += 1;
    }
  }
}
