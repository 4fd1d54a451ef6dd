import { KEPT_LOG, LONGEST_LINE } from '../../text/log-tail.ts';
import { LineSplitter, type PrintedLine } from '../../system/line-splitter.ts';

/** The number of lines of a run that are sent to the service immediately. */
const AT_ONCE = 1_000;
/** The interval at which later lines are sent, in milliseconds. Only the last lines of each interval are sent. */
const INTERVAL = 100;
/** The most bytes of a character in UTF-8. */
const WIDEST = 4;

/**
 * Sends the output of runs to the service. If a run prints very much, most of its lines are only counted, because the
 * service keeps only the last lines of a run. So a model can print any amount, at no cost for others.
 */
export class Forwarding {
  readonly #stream: NodeJS.WriteStream;
  /** The stream's own function, because the stream of a module writes here. */
  readonly #write: NodeJS.WriteStream['write'];
  readonly #onDropped: (lines: number) => void;
  readonly #splitter = new LineSplitter((line) => this.add(line));
  readonly #tail: string[] = [];
  /** Whether anything was printed since the last call of `end`. */
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
