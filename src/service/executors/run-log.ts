import type { RunLog } from '../../api/extensions.ts';
import { type LogBounds, LogTail, LONGEST_LINE } from '../../api/log-tail.ts';

/** How much is kept of what a run printed. */
export const KEPT_LOG: LogBounds = { lines: 100, characters: 64 * 1024 };

export type Stream = 'stdout' | 'stderr';

/**
 * Gathers what a run prints as lines, in bounded memory. Nobody knows how lines of the two streams followed each other, so
 * standard error, where a traceback is, comes after standard output.
 */
export class RunPrints {
  readonly #tails = { stdout: new LogTail(KEPT_LOG), stderr: new LogTail(KEPT_LOG) };
  readonly #onLine: (line: string, number: number) => void;
  #count = 0;
  /** The line of each stream that has not ended yet. */
  readonly #open: Record<Stream, string> = { stdout: '', stderr: '' };

  /** @param onLine - is given each line with its number, from 1, as it is printed, cut where it is too long */
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

  /** What is kept, once nothing more is printed. */
  end(): RunLog {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#open[stream] !== '') this.#endLine(stream);
    }
    const { stdout, stderr } = this.#tails;
    const [printed, complained] = [[...stdout.lines], [...stderr.lines]];
    const count = (): number => printed.length + complained.length;
    const total = count() + stdout.omitted + stderr.omitted;
    // neither stream pushes the last lines of the other out
    while (
      count() > KEPT_LOG.lines ||
      charactersOf(printed) + charactersOf(complained) > KEPT_LOG.characters
    ) {
      (printed.length > complained.length ? printed : complained).shift();
    }
    return { lines: [...printed, ...complained], omitted: total - count() };
  }

  /** A carriage return begins a line anew, as bars of progress do; one at the end may belong to the end of the line. */
  #extend(stream: Stream, piece: string): void {
    const line = this.#open[stream] + piece;
    const start = line.lastIndexOf('\r', line.length - 2) + 1;
    // one character too many shows that it was cut
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

function charactersOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
