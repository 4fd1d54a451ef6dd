import type { Column, Table } from '../tables/result-table.ts';
import { brief, counted } from '../words/words.ts';

export interface TextOptions {
  /** The width of the terminal in columns. Longer lines are cut. @default Infinity */
  width?: number;
  /** The maximum number of rows to show without `flows`. The number of further rows is shown after them. @default 50 */
  limit?: number;
  /** Shows each row when it arrives. A column becomes wider when a wider cell comes. @default false */
  flows?: boolean;
}

const GAP = '  ';

/**
 * Formats a table for the terminal. Numbers are aligned to the right. Values are rounded and abbreviated for readers;
 * CSV and JSON Lines have the exact values. Only the shown rows are kept in memory.
 */
export async function* text({ columns, rows }: Table, options: TextOptions = {}): AsyncIterable<string> {
  const { width = Infinity, limit = 50, flows = false } = options;
  const widths = columns.map(() => 0);
  const measured = (line: string[]): string[] => {
    for (const [i, cell] of line.entries()) widths[i] = Math.max(widths[i]!, lengthOf(cell));
    return line;
  };
  const shown = (line: string[]): string => {
    const padded = line.map((cell, i) => pad(cell, widths[i]!, columns[i]!));
    return `${cut(padded.join(GAP).trimEnd(), width)}\n`;
  };
  const lines = [measured(columns.map(({ name }) => printable(name)))];
  let more = 0;
  for await (const cells of rows) {
    if (!flows && lines.length > limit) {
      more += 1;
      continue;
    }
    lines.push(measured(cells.map((cell, i) => printable(brief(columns[i]!, cell)))));
    // the head waits for the first row, so that both have columns of the same width
    if (flows) yield* lines.splice(0).map(shown);
  }
  yield* lines.map(shown);
  if (more > 0) yield cut(`… and ${counted(more, 'more row')}`, width) + '\n';
}

/**
 * Replaces control characters and similar characters by a blank, so that a text of a model cannot control the terminal.
 */
export function printable(cell: string): string {
  return cell.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

function pad(cell: string, width: number, { kind }: Column): string {
  const space = ' '.repeat(width - lengthOf(cell));
  return kind === 'number' ? space + cell : cell + space;
}

function cut(line: string, width: number): string {
  return lengthOf(line) > width ? `${[...line].slice(0, width - 1).join('')}…` : line;
}

function lengthOf(cell: string): number {
  return [...cell].length;
}
