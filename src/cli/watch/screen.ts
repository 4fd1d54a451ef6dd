import type { WriteStream } from 'node:tty';
import { type Line, lengthOf, painted, type Span } from './text.ts';
import { printableLine } from '../../text/printable.ts';
import type { Size } from './page.ts';

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

/** Signals that end a process at once, unless the process listens to them. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The assumed size of a terminal that does not report its size. */
const [COLUMNS, ROWS] = [80, 24];

/** The parts of a terminal that are used. */
export type Terminal = Pick<WriteStream, 'write' | 'columns' | 'rows' | 'getColorDepth'>;

/** Draws lines at the end of a terminal, and redraws them in place. The cursor is hidden until the end. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #isColoured: boolean;
  /** The width of each drawn line in columns. The terminal may have become narrower after the drawing. */
  #drawn: number[] = [];
  readonly #restore = (): void => this.close();
  /** Signals without another listener: they must still end the process, although this class listens to them. */
  readonly #fatal = SIGNALS.filter((signal) => process.listenerCount(signal) === 0);
  readonly #interrupted = (signal: NodeJS.Signals): void => {
    this.close();
    if ((this.#fatal as NodeJS.Signals[]).includes(signal)) process.kill(process.pid, signal);
  };

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#isColoured = terminal.getColorDepth() > 1;
    this.#terminal.write(HIDE_CURSOR);
    process.on('exit', this.#restore);
    for (const signal of SIGNALS) process.on(signal, this.#interrupted);
  }

  /** The size of a page. One column and one row stay free, because a terminal scrolls when its last cell is written. */
  get size(): Size {
    return { columns: Math.max(1, this.#columns - 1), rows: Math.max(1, (this.#terminal.rows || ROWS) - 1) };
  }

  draw(page: readonly Line[]): void {
    const lines = page.map((line) => line.map(printableSpan));
    const { columns } = this.size;
    const text = lines.map((line) => `${painted(line, columns, this.#isColoured)}${CLEAR_LINE}\n`).join('');
    this.#terminal.write(`${this.#home()}${text}${CLEAR_BELOW}`);
    this.#drawn = lines.map((line) => Math.min(lengthOf(line), columns));
  }

  /** Ends the redrawing. The last drawing stays on the screen. */
  close(): void {
    process.off('exit', this.#restore);
    for (const signal of SIGNALS) process.off(signal, this.#interrupted);
    this.#terminal.write(SHOW_CURSOR);
  }

  /**
   * The text that moves the cursor to the first drawn line. In a terminal that became narrower, a line takes several
   * rows.
   */
  #home(): string {
    const up = this.#drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / this.#columns)), 0);
    return up > 0 ? `\r\x1b[${up}A` : '';
  }

  get #columns(): number {
    return this.#terminal.columns || COLUMNS;
  }
}

/** Makes control characters visible, because text of a service or a model must not control the terminal. */
function printableSpan(span: Span): Span {
  return typeof span === 'string' ? printableLine(span) : { ...span, text: printableLine(span.text) };
}
