import type { Column, Table } from '../tables/result-table.ts';
import { brief, counted } from '../words/words.ts';

export interface TextOptions {
  /**
   * The width of the terminal. Inputs and outputs that do not fit are left out; their number is shown at the end.
   *
   * @default Infinity
   */
  width?: number;
  /** The maximum number of rows to show without `flows`. The number of further rows is shown after them. @default 50 */
  limit?: number;
  /** Shows each row when it arrives. A column becomes wider when a wider cell comes. @default false */
  flows?: boolean;
}

const GAP = '  ';
/**
 * The last column may have long texts, such as reasons of failures. They are cut to this width or more, so that other
 * columns fit.
 */
const LEAST_LAST = 24;
/** The maximum number of characters of a cell. */
const LONGEST_CELL = 1_000;

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
  let shown: readonly number[] | undefined;
  const formatted = (line: string[]): string => {
    shown ??= fitting(columns, widths, width);
    const padded = shown.map((i) => pad(line[i]!, widths[i]!, columns[i]!));
    return `${cut(padded.join(GAP).trimEnd(), width)}\n`;
  };
  const lines = [measured(columns.map(({ name }) => printable(name)))];
  let more = 0;
  for await (const cells of rows) {
    if (!flows && lines.length > limit) {
      more += 1;
      continue;
    }
    lines.push(measured(cells.map((cell, i) => printable(shortened(brief(columns[i]!, cell))))));
    // the head waits for the first row, so that both have columns of the same width
    if (flows) yield* lines.splice(0).map(formatted);
  }
  yield* lines.map(formatted);
  const hidden = columns.length - (shown?.length ?? columns.length);
  const omitted = [
    ...(more > 0 ? [counted(more, 'more row')] : []),
    ...(hidden > 0 ? [counted(hidden, 'more column')] : []),
  ];
  if (omitted.length > 0) yield `… and ${omitted.join(', ')}; --format csv has all\n`;
}

/**
 * The places of the columns that fit the width. While the columns are too wide, one more column is left out: the last
 * input if all inputs together are wider than all outputs, otherwise the last output. Details of outputs are left out
 * before the outputs. One input and one output stay, and also the columns that foray adds.
 */
function fitting(columns: readonly Column[], widths: readonly number[], width: number): number[] {
  const last = columns.length - 1;
  const needs = widths.map((each, i) => GAP.length + (i === last ? Math.min(each, LEAST_LAST) : each));
  const placesOf = (which: string): number[] =>
    columns.flatMap(({ of = 'added', isDetail }, i) => ((isDetail ? 'detail' : of) === which ? [i] : []));
  const sum = (places: readonly number[]): number => places.reduce((total, i) => total + needs[i]!, 0);
  const canLoseOne = (places: readonly number[]): boolean =>
    places.length > 1 || places.some((i) => columns[i]!.isDetail);
  const added = placesOf('added');
  const inputs = placesOf('input');
  const outputs = [...placesOf('output'), ...placesOf('detail')];
  while (sum([...added, ...inputs, ...outputs]) - GAP.length > width) {
    const widestFirst = sum(inputs) > sum(outputs) ? [inputs, outputs] : [outputs, inputs];
    const places = widestFirst.find(canLoseOne);
    if (!places) break;
    places.pop();
  }
  return [...added, ...inputs, ...outputs].toSorted((a, b) => a - b);
}

/**
 * Replaces control characters and similar characters by a blank, so that a text of a model cannot control the terminal.
 */
export function printable(cell: string): string {
  return cell.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** The rows of a table are in memory together, and nobody reads a cell of megabytes in a table. */
function shortened(cell: string): string {
  return cell.length > LONGEST_CELL ? `${cell.slice(0, LONGEST_CELL)}…` : cell;
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
