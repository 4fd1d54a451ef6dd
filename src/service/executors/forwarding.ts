import { KEPT_LOG, LONGEST_LINE } from '../../text/log-tail.ts';
import { LineSplitter, type PrintedLine } from '../../system/line-splitter.ts';

/** This many lines of a run are sent to the service at once. */
const AT_ONCE = 1_000;
/** Later lines are sent at this interval, in milliseconds, and then only the last ones. */
const INTERVAL = 100;
/** The most bytes of a character in UTF-8. */
const WIDEST = 4;

/**
 * Sends the output of runs to the service. The service keeps only the last lines of a run, so of a run that prints very
 * much, the other lines are only counted. So a model can print any amount, at no cost for others.
 */
export class Forwarding {
  readonly #stream: NodeJS.WriteStream;
  /** The stream's own function, because the stream of a module writes here. */
  readonly #write: NodeJS.WriteStream['write'];
  readonly #onDropped: (lines: number) => void;
  readonly #splitter = new LineSplitter((line) => this.add(line));
  readonly #tail: string[] = [];
  /** Whether anything was printed since the last end. */
  isUsed = false;
  #lines = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param onDropped - called with the number of lines that are not sent */
  constructor(stream: NodeJS.WriteStream, onDropped: (lines: number) => void) {
    this.#stream = stream;
    this.#write = stream.write.bind(stream);
    this.#onDropped = onDropped;
  }

  /** Adds output that is not split into lines yet. */
  print(chunk: Uint8Array | string): void {
    this.isUsed = true;
    this.#splitter.add(Buffer.from(chunk as Uint8Array));
  }

  add({ bytes, end }: PrintedLine): void {
    this.isUsed = true;
    // one more character than the limit shows that the line was cut
    const start = bytes.subarray(0, WIDEST * (LONGEST_LINE + 1)).toString();
    const text = start.slice(0, LONGEST_LINE + 1) + end;
    this.#lines += 1;
    if (this.#lines <= AT_ONCE) return void this.#write(text);
    this.#tail.push(text);
    if (this.#tail.length > KEPT_LOG.lines) {
      this.#tail.shift();
      this.#dropped += 1;
    }
    this.#timer ??= setTimeout(() => this.#send(), INTERVAL);
  }

  /** Sends the rest of a run's output. Resolves when all output is sent. */
  async end(): Promise<void> {
    this.isUsed = false;
    this.#splitter.close();
    this.#send();
    this.#lines = 0;
    if (this.#stream.writableLength > 0)
      await new Promise<void>((resolve) => this.#write('', () => resolve()));
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#dropped > 0) this.#onDropped(this.#dropped);
    this.#dropped = 0;
    if (this.#tail.length > 0) this.#write(this.#tail.join(''));
    this.#tail.length = 0;
  }
}
