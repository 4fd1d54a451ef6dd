import type { Batched } from '../../batched.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { ResultRow } from '../../store/index.ts';
import { csv } from './csv.ts';
import { jsonl } from './jsonl.ts';
import { longPointTable, pointTable } from '../tables/point-table.ts';
import { longTable, resultTable, type Table, type TableOptions } from '../tables/result-table.ts';
import { text, type TextOptions } from './text.ts';

/** Text formats. Parquet is imported from its own file (parquet.ts), because it needs a library. */
export const textFormats = ['table', 'csv', 'jsonl'] as const;
export type TextFormat = (typeof textFormats)[number];
export const resultFormats = [...textFormats, 'parquet'] as const;
export type ResultFormat = (typeof resultFormats)[number];

export interface ShapeOptions extends TableOptions {
  /** One row per point instead of one per run. @default false */
  points?: boolean;
  /** One row per output; for a curve, one row per time. @default false */
  long?: boolean;
  /**
   * With `points`: the outputs and formulas that are shown. A formula is a text such as P(Peak > 300).
   *
   * @default all outputs and formulas of the campaign
   */
  show?: readonly string[];
}

type ShapedCampaign = Pick<
  Campaign,
  'base' | 'varied' | 'outputs' | 'derived' | 'precision' | 'goal' | 'versions' | 'strategy' | 'repeats'
>;

/** Makes a table of results as the options say. The table is streamed. */
export function tableOf(
  campaign: ShapedCampaign,
  rows: Batched<ResultRow>,
  options: ShapeOptions = {},
): Table {
  const { points, long, show } = options;
  if (points) return long ? longPointTable(campaign, rows, show) : pointTable(campaign, rows, show);
  return long ? longTable(campaign, rows, options) : resultTable(campaign, rows, options);
}

/** Formats results as pieces of text, streamed. Each piece is one or more whole lines. */
export function formatResults(
  format: TextFormat,
  campaign: ShapedCampaign,
  rows: Batched<ResultRow>,
  options: ShapeOptions & TextOptions = {},
): AsyncIterable<string> {
  return formatTable(format, tableOf(campaign, rows, options), options);
}

/** Formats a table as pieces of text, streamed. */
export function formatTable(
  format: TextFormat,
  table: Table,
  options: TextOptions = {},
): AsyncIterable<string> {
  switch (format) {
    case 'table':
      return text(table, options);
    case 'csv':
      return csv(table);
    case 'jsonl':
      return jsonl(table);
  }
}
