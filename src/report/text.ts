import type { Column, Table } from './table.ts';
import { brief, counted } from './words.ts';

export interface TextOptions {
  /** Columns of the terminal: longer lines are cut. @default Infinity */
  width?: number;
  /** Rows to show; of the others only the number is said. @default 50 */
  limit?: number;
}

const GAP = '  ';

/**
 * A table for the terminal, numbers to the right. It says things as a person wants to see them, rounded and
 * abbreviated: CSV and JSON Lines hold the values as they are. Only the rows shown are kept in memory.
 */
export async function* text({ columns, rows }: Table, options: TextOptions = {}): AsyncIterable<string> {
  const { width = Infinity, limit = 50 } = options;
  const lines = [columns.map(({ name }) => printable(name))];
  let more = 0;
  for await (const cells of rows) {
    if (lines.length > limit) more += 1;
    else lines.push(cells.map((cell, i) => printable(brief(columns[i]!, cell))));
  }
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => lengthOf(line[i]!))));
  for (const line of lines) {
    const padded = line.map((cell, i) => pad(cell, widths[i]!, columns[i]!));
    yield `${cut(padded.join(GAP).trimEnd(), width)}\n`;
  }
  if (more > 0) yield cut(`… and ${counted(more, 'more row')}`, width) + '\n';
}

/** What a model names or says must not steer the terminal. */
function printable(cell: string): string {
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
