import { Batched, batches } from '../../batched.ts';
import type { ResultRow } from '../../store/index.ts';
import { type Column, number, outputColumn, text, uniquelyNamed } from './column-types.ts';
import { ALL, allOf, type Cell, headColumns, headOf, REASON, type TabledCampaign } from './result-columns.ts';
import { cellOf, curveCells } from './value-kinds.ts';

export type { Column } from './column-types.ts';
export type { Cell } from './result-columns.ts';

export interface Table {
  columns: Column[];
  rows: Batched<Cell[]>;
}

export interface TableOptions {
  /** Adds columns that may differ between equal campaigns: run, origin and times. @default false */
  all?: boolean;
}

/** The maximum number of rows in a batch of the long table. */
const GROUP = 500;

/**
 * The results as a table, one row per finished run. Its columns depend only on the campaign, never on the rows: point,
 * replication, status, the model's version if the campaign has had several, the ask of a search or calibration, the
 * generation and the weight of a calibration, then each input that varies, then each output, then the reason of a
 * failure. The values in the default columns are the same for equal campaigns.
 */
export function resultTable(
  campaign: TabledCampaign,
  rows: Batched<ResultRow>,
  { all = false }: TableOptions = {},
): Table {
  const outputs = campaign.outputs.map(outputColumn);
  const columns = [...headColumns(campaign), ...outputs, REASON, ...(all ? ALL : [])];
  const cells = (row: ResultRow): Cell[] => [
    ...headOf(campaign, row),
    ...outputs.map(({ name, kind }) => cellOf(kind, row.outputs[name])),
    row.reason,
    ...(all ? allOf(row) : []),
  ];
  return { columns: uniquelyNamed(columns), rows: rows.map(cells) };
}

/**
 * The results with one row per value of a run. The columns up to the inputs are the same as in `resultTable`. Then come
 * `output`, its `units`, and its value: in `value` if it is a number, otherwise in `text`. A curve (DATA_SET) has one
 * row per time, and a column `time` before `value`. A failed run has rows without values.
 */
export function longTable(
  campaign: TabledCampaign,
  rows: Batched<ResultRow>,
  { all = false }: TableOptions = {},
): Table {
  const outputs = campaign.outputs.map(outputColumn);
  const hasCurves = outputs.some(isCurve);
  const columns = [
    ...headColumns(campaign),
    ...[text('output'), text('units'), ...(hasCurves ? [number('time')] : [])],
    ...[number('value'), text('text'), REASON, ...(all ? ALL : [])],
  ];
  function* lines(row: ResultRow): Generator<Cell[]> {
    const before = headOf(campaign, row);
    const after = [row.reason, ...(all ? allOf(row) : [])];
    for (const output of outputs) {
      for (const [time, ...value] of valuesOf(output, row.outputs[output.name]))
        yield [
          ...before,
          output.name,
          output.units ?? null,
          ...(hasCurves ? [time] : []),
          ...value,
          ...after,
        ];
    }
  }
  async function* groups(): AsyncGenerator<Cell[][], void, void> {
    for await (const batch of rows.batches) for (const row of batch) yield* batches(lines(row), GROUP);
  }
  return { columns: uniquelyNamed(columns), rows: new Batched(groups()) };
}

/**
 * The values of an output: one value, or one value per point of its curve. A text that is not a curve stays unchanged.
 */
function valuesOf(
  output: Column,
  given: string | undefined,
): Iterable<[time: Cell, value: Cell, text: Cell]> {
  const cell = cellOf(output.kind, given);
  if (output.kind === 'number') return [[null, cell, null]];
  const curve = isCurve(output) ? curveCells(cell) : undefined;
  return curve && curve.length > 0
    ? curve.map(([time, value]) => [time, value, null])
    : [[null, null, curve ? null : cell]];
}

function isCurve({ type }: Column): boolean {
  return type === 'DATA_SET';
}
