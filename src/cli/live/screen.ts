import type { WriteStream } from 'node:tty';
import { type Line, lengthOf, painted, type Span } from './text.ts';
import { printableLine } from '../../printable.ts';
import type { Size } from './page.ts';

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

/** After these a process ends without a chance to tidy up, unless it listens. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Of a terminal that does not know its size. */
const [COLUMNS, ROWS] = [80, 24];

/** What of a terminal is needed. */
export type Terminal = Pick<WriteStream, 'write' | 'columns' | 'rows' | 'getColorDepth'>;

/** Lines at the end of a terminal that are drawn anew in their place. The cursor is hidden until the end. */
export class Screen {
  private readonly terminal: Terminal;
  private readonly isColoured: boolean;
  /** Columns of each line that is drawn; the terminal may have become narrower since. */
  private drawn: number[] = [];
  private readonly restore = (): void => this.close();
  /** Signals that nobody else listens to: the process is to end of them as if this did not either. */
  private readonly fatal = SIGNALS.filter((signal) => process.listenerCount(signal) === 0);
  private readonly interrupted = (signal: NodeJS.Signals): void => {
    this.close();
    if ((this.fatal as NodeJS.Signals[]).includes(signal)) process.kill(process.pid, signal);
  };

  constructor(terminal: Terminal) {
    this.terminal = terminal;
    this.isColoured = terminal.getColorDepth() > 1;
    this.terminal.write(HIDE_CURSOR);
    process.on('exit', this.restore);
    for (const signal of SIGNALS) process.on(signal, this.interrupted);
  }

  /** Where a page is to fit in: a column and a row stay free, as a terminal scrolls when its last cell is written. */
  get size(): Size {
    return { columns: Math.max(1, this.columns - 1), rows: Math.max(1, (this.terminal.rows || ROWS) - 1) };
  }

  draw(page: readonly Line[]): void {
    const lines = page.map((line) => line.map(printableSpan));
    const { columns } = this.size;
    const text = lines.map((line) => `${painted(line, columns, this.isColoured)}${CLEAR_LINE}\n`).join('');
    this.terminal.write(`${this.home()}${text}${CLEAR_BELOW}`);
    this.drawn = lines.map((line) => Math.min(lengthOf(line), columns));
  }

  /** Leaves what is drawn last. */
  close(): void {
    process.off('exit', this.restore);
    for (const signal of SIGNALS) process.off(signal, this.interrupted);
    this.terminal.write(SHOW_CURSOR);
  }

  /** To where the first line begins: in a terminal that became narrower a line takes up several. */
  private home(): string {
    const up = this.drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / this.columns)), 0);
    return up > 0 ? `\r\x1b[${up}A` : '';
  }

  private get columns(): number {
    return this.terminal.columns || COLUMNS;
  }
}

/** What a service or a model said must not steer the terminal. */
function printableSpan(span: Span): Span {
  return typeof span === 'string' ? printableLine(span) : { ...span, text: printableLine(span.text) };
}
