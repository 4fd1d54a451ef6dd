/** The longest line that can be a message, in bytes. The service also sends no larger answer. */
export const LONGEST_MESSAGE = 128 * 2 ** 20;
/** A line that cannot be a message is cut at about this length, in bytes. */
const LONGEST_PRINT = 2 ** 20;
const [LINE_FEED, RETURN, SPACE, BRACE] = [10, 13, 32, 123];

/** A line that a program has printed. */
export interface PrintedLine {
  bytes: Buffer;
  /** Whether bytes are missing, because the line is too long. */
  isCut: boolean;
  /** The character at its end. A line that ends with a carriage return is printed over. Empty at the end of output. */
  end: '\n' | '\r' | '';
}

/**
 * Splits the output of a program into lines, in bounded memory. A carriage return ends a line too, because progress bars
 * end with it.
 */
export class LineSplitter {
  readonly #onLine: (line: PrintedLine) => void;
  readonly #onCut: (start: Buffer) => void;
  #parts: Buffer[] = [];
  #size = 0;
  #isCut = false;
  /** Whether the line may be a message; undefined while it is short. */
  #isMessage: boolean | undefined;

  /** @param onCut - called with the start of a line that is too long, before the line has ended */
  constructor(onLine: (line: PrintedLine) => void, onCut: (start: Buffer) => void = () => {}) {
    this.#onLine = onLine;
    this.#onCut = onCut;
  }

  add(chunk: Buffer): void {
    let start = 0;
    // the search for a character goes on only after it was found, so a chunk is searched once for each
    let feed = chunk.indexOf(LINE_FEED);
    let back = chunk.indexOf(RETURN);
    while (feed >= 0 || back >= 0) {
      const at = feed < 0 || (back >= 0 && back < feed) ? back : feed;
      this.#extend(chunk.subarray(start, at));
      this.#end(at === feed ? '\n' : '\r');
      start = at + 1;
      if (at === feed) feed = chunk.indexOf(LINE_FEED, start);
      else back = chunk.indexOf(RETURN, start);
    }
    this.#extend(chunk.subarray(start));
  }

  /** Call this when the output has ended. @param end - the end of the last line, if it has none */
  close(end: PrintedLine['end'] = ''): void {
    if (this.#size > 0) this.#end(end);
  }

  #extend(part: Buffer): void {
    if (part.length === 0 || this.#isCut) return;
    if (this.#size > LONGEST_PRINT) this.#isMessage ??= this.#mayBeMessage();
    const most = this.#isMessage === false ? LONGEST_PRINT : LONGEST_MESSAGE;
    if (this.#size + part.length > most) {
      this.#isCut = true;
      this.#onCut(Buffer.concat(this.#parts));
    } else {
      this.#parts.push(part);
      this.#size += part.length;
    }
  }

  /** Whether a long line may be a message: it is an object, or has the key of the outputs near its beginning. */
  #mayBeMessage(): boolean {
    const bytes = Buffer.concat(this.#parts);
    return bytes.find((byte) => byte > SPACE) === BRACE || bytes.includes('"outputs"');
  }

  #end(end: PrintedLine['end']): void {
    const bytes = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    const line = { bytes, isCut: this.#isCut, end };
    this.#parts = [];
    this.#size = 0;
    this.#isCut = false;
    this.#isMessage = undefined;
    this.#onLine(line);
  }
}
