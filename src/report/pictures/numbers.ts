import type { Measure } from '../../campaign/measures.ts';
import type { VariedInput } from '../../campaign/types.ts';
import type { Unit } from '../../api/index.ts';
import { type Axis, binEnds, binTexts } from '../summary/input-axis.ts';
import { kindOfInput } from '../tables/value-kinds.ts';
import {
  estimateTexts,
  measureColumn,
  measureText,
  numberText,
  percent,
  shortNumber,
  titleOf,
  titleOfMeasure,
} from '../words/words.ts';
import type { Panel } from './vega.ts';

export interface NumberColumn {
  title: string;
  /** The name of the input whose values the column has. A range that a reader drags in the picture filters by it. */
  input?: string | undefined;
  /** Whether the column has shares, which are shown in percent. */
  isShare?: boolean | undefined;
}

/** The first and the last number of a group of neighbouring values. */
type Range = readonly [first: number, last: number];

/**
 * A value of a column. An object has another text than the column would give to its value. Its `range` has the values
 * of an input that it stands for.
 */
export type NumberCell =
  | string
  | number
  | null
  | undefined
  | { value: string | number; text: string; range?: Range };

/** The values of a mark. */
export interface NumberRow {
  values: (string | number | null)[];
  /** The values for readers, in the same order. */
  texts: string[];
  /** For each value that is no number of its own, such as a group of values of an input: its first and last number. */
  ranges: (Range | null)[];
  /** The key of the point behind the mark; undefined if the mark is not known to be about one point. */
  key: string | undefined;
}

/**
 * The numbers of a picture: a table with a row for each mark. The page shows a row beside the mark under the pointer,
 * shows all rows as a table, and saves them as CSV.
 */
export class PictureNumbers {
  readonly columns: readonly NumberColumn[];
  readonly rows: NumberRow[] = [];

  constructor(columns: readonly NumberColumn[]) {
    this.columns = columns;
  }

  /**
   * Adds a row.
   *
   * @param key - the key of the point behind the row
   * @returns what the datum of the mark needs
   */
  add(cells: readonly NumberCell[], key?: string): { row: number } {
    const texts = cells.map((cell, at) => textOf(cell, this.columns[at]!));
    const values = cells.map((cell) => (typeof cell === 'object' ? (cell?.value ?? null) : (cell ?? null)));
    const ranges = cells.map((cell) => (typeof cell === 'object' ? (cell?.range ?? null) : null));
    this.rows.push({ values, texts, ranges, key });
    return { row: this.rows.length - 1 };
  }
}

/** A datum without its row. It is for a mark beside another mark, such as an interval on its bar, which has the row. */
export function withoutRow(datum: object): object {
  return { ...datum, row: undefined };
}

function textOf(cell: NumberCell, { isShare = false }: NumberColumn): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'object') return cell.text;
  if (typeof cell === 'string') return cell;
  return isShare ? percent(Number(cell.toPrecision(4))) : numberText(cell);
}

export function inputColumn(input: { name: string; units?: Unit | null | undefined }): NumberColumn {
  return { title: titleOf(input), input: input.name };
}

export function measureColumnOf(measure: Measure): NumberColumn {
  return { title: titleOfMeasure(measure), isShare: measure.statistic === 'share' };
}

/** The cells of an input for each bin of its axis. */
export function binCells(axis: Pick<Axis, 'isNumeric' | 'bins' | 'binOf'>): NumberCell[] {
  const ends = binEnds(axis);
  return binTexts(axis).map((text, bin) => {
    if (!axis.isNumeric) return text;
    const [from, to] = ends[bin]!;
    if (from === to) return exactCell(from, text);
    return { value: axis.bins[bin]!.value, text, range: [Number(from), Number(to)] };
  });
}

/** The cell of a canonical value of an input. */
export function inputCell({ type }: Pick<VariedInput, 'type'>, value: string): NumberCell {
  return kindOfInput(type) === 'number' ? exactCell(value, shortNumber(value)) : value;
}

/**
 * The cell of a number. A LONG may be an identifier with more digits than JavaScript's numbers keep. Then its value is
 * its text, and a filter compares it as a number.
 */
function exactCell(canonical: string, text: string): NumberCell {
  const value = Number(canonical);
  const isRounded = /^-?\d+$/.test(canonical) && !Number.isSafeInteger(value);
  return isRounded ? { value: canonical, text, range: [value, value] } : { value, text };
}

/** The cell of a mean, share or quantile that has no interval. A share has no digits that its runs do not know. */
export function measureCell(
  measure: Pick<Measure, 'statistic'>,
  value: number | null,
  runs: number,
): NumberCell {
  return value === null ? null : { value, text: measureColumn(measure, [value], [runs])[0]! };
}

/** The columns of a measure and of the ends of its interval. */
export function estimateColumns(measure: Measure): NumberColumn[] {
  const isShare = measure.statistic === 'share';
  return [measureColumnOf(measure), { title: 'From', isShare }, { title: 'To', isShare }];
}

/** The cells of a value and of the ends of its interval. No text is finer than the interval. */
export function estimateCells(
  measure: Pick<Measure, 'statistic'>,
  value: number,
  low: number | null | undefined,
  high: number | null | undefined,
): NumberCell[] {
  const plain = { statistic: measure.statistic, units: null };
  if (low === null || low === undefined || high === null || high === undefined)
    return [{ value, text: measureText(plain, value) }, null, null];
  const texts = estimateTexts(plain, value, [low, high]);
  return [value, low, high].map((one, at) => ({ value: one, text: texts[at]! }));
}

/** The inputs on the axes of a panel, by name. */
export interface PanelInputs {
  x?: string | undefined;
  y?: string | undefined;
}

/** Digits that a result in a picture keeps. A position on the screen shows three or four. */
const DIGITS = 9;

/**
 * What the script of a page needs to show the numbers of a picture: the columns and the panels with their marks, as JSON
 * that may stand in a script element.
 *
 * @param inputs - the inputs on the axes of each panel; a single one is for all panels
 */
export function numbersJson(
  { columns, rows }: PictureNumbers,
  panels: readonly Panel[],
  inputs: readonly PanelInputs[],
): string {
  const shown = {
    columns: columns.map((column, at) => shownColumn(column, at, rows)),
    points: rows.some(({ key }) => key !== undefined) ? rows.map(({ key }) => key ?? '') : undefined,
    panels: panels.map((panel, at) =>
      shownPanel(panel, inputs.length === 1 ? inputs[0]! : (inputs[at] ?? {}), columns),
    ),
  };
  return JSON.stringify(shown).replaceAll('<', '\\u003c');
}

/** A column without the texts and ranges that its values already tell. */
function shownColumn({ title, input }: NumberColumn, at: number, rows: readonly NumberRow[]) {
  const values = rows.map((row) => shownValue(row.values[at]!, input));
  const texts = rows.map((row) => row.texts[at]!);
  const ranges = rows.map((row) => row.ranges[at]!);
  const areTexts = values.every((value, row) => String(value ?? '') === texts[row]);
  return {
    title,
    input,
    values,
    texts: areTexts ? undefined : texts,
    ranges: ranges.some((range) => range !== null) ? ranges : undefined,
  };
}

/** A panel with its marks. `x` and `y` are the columns of the inputs on its axes; -1 for an axis without an input. */
function shownPanel(
  { x, y, width, height, marks }: Panel,
  inputs: PanelInputs,
  columns: readonly NumberColumn[],
) {
  const columnOf = (name: string | undefined): number =>
    columns.findIndex(({ input }) => input !== undefined && input === name);
  const sizes = marks.map((mark) => [Math.round(mark.width), Math.round(mark.height)]);
  const areEqual = sizes.every((size) => String(size) === String(sizes[0]));
  const first = marks[0]!.row;
  const isInOrder = marks.every(({ row }, at) => row === first + at);
  return {
    box: [x, y, width, height].map(Math.round),
    x: columnOf(inputs.x),
    y: columnOf(inputs.y),
    places: marks.flatMap((mark) => [Math.round(mark.x), Math.round(mark.y)]),
    // one number or one size stands for all marks, because a picture may have thousands
    rows: isInOrder ? first : marks.map(({ row }) => row),
    sizes: areEqual ? sizes[0] : sizes.flat(),
  };
}

/**
 * A value for the script of the page. Values of inputs stay exact, because a filter from a picture is made of them. Whole
 * numbers stay exact, because a model may use them as identifiers.
 */
function shownValue(value: string | number | null, input: string | undefined): string | number | null {
  if (typeof value !== 'number' || input !== undefined || Number.isSafeInteger(value)) return value;
  return Number(value.toPrecision(DIGITS));
}
