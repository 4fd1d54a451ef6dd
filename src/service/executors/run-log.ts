import type { RunLog } from '../../api/extensions.ts';
import { KEPT_LOG, LogTail, LONGEST_LINE } from '../../text/log-tail.ts';

export type Stream = 'stdout' | 'stderr';

/**
 * Collects the output of a run as lines, in bounded memory. The order of lines between the two streams is unknown, so
 * standard error, which has a traceback, comes after standard output.
 */
export class LogCollector {
  readonly #tails = { stdout: new LogTail(KEPT_LOG), stderr: new LogTail(KEPT_LOG) };
  readonly #onLine: (line: string, number: number) => void;
  #count = 0;
  #dropped = 0;
  /** The last line of each stream, while it is incomplete. */
  readonly #open: Record<Stream, string> = { stdout: '', stderr: '' };

  /** @param onLine - called with each line and its number, from 1. Long lines are cut */
  constructor(onLine: (line: string, number: number) => void) {
    this.#onLine = onLine;
  }

  add(stream: Stream, text: string): void {
    const pieces = text.split('\n');
    const last = pieces.pop()!;
    for (const piece of pieces) {
      this.#extend(stream, piece);
      this.#endLine(stream);
    }
    this.#extend(stream, last);
  }

  /** Counts lines that the executor did not send. They come before the last lines. */
  drop(lines: number): void {
    this.#count += lines;
    this.#dropped += lines;
  }

  /** The kept lines, when the output has ended. */
  end(): RunLog {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#open[stream] !== '') this.#endLine(stream);
    }
    const { stdout, stderr } = this.#tails;
    const [printed, complained] = [[...stdout.lines], [...stderr.lines]];
    const count = (): number => printed.length + complained.length;
    const total = count() + stdout.omitted + stderr.omitted;
    // neither stream displaces the last lines of the other
    while (count() > KEPT_LOG.lines) longer(printed, complained, (lines) => lines.length).shift();
    while (charactersOf(printed) + charactersOf(complained) > KEPT_LOG.characters)
      longer(printed, complained, charactersOf).shift();
    return { lines: [...printed, ...complained], omitted: this.#dropped + total - count() };
  }

  /**
   * A carriage return starts the line again; progress bars use it. A carriage return that is the last character has no
   * effect yet, because it may belong to a line break.
   */
  #extend(stream: Stream, piece: string): void {
    const line = this.#open[stream] + piece;
    const start = line.lastIndexOf('\r', line.length - 2) + 1;
    // one more character than the limit shows that the line was cut
    this.#open[stream] = line.slice(start, start + LONGEST_LINE + 1);
  }

  #endLine(stream: Stream): void {
    const line = this.#open[stream].replace(/\r$/, '');
    this.#open[stream] = '';
    this.#tails[stream].add(line);
    this.#count += 1;
    this.#onLine(line.slice(0, LONGEST_LINE), this.#count);
  }
}

/** The list with the larger size; the second list if both sizes are equal. */
function longer(a: string[], b: string[], sizeOf: (lines: readonly string[]) => number): string[] {
  return sizeOf(a) > sizeOf(b) ? a : b;
}

function charactersOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
