import type { Campaign } from '../campaign/types.ts';
import type { ResultRow } from '../store/index.ts';
import { csv } from './csv.ts';
import { jsonl } from './jsonl.ts';
import { pointTable, resultTable, type TableOptions } from './table.ts';
import { text, type TextOptions } from './text.ts';

export const resultFormats = ['table', 'csv', 'jsonl'] as const;
export type ResultFormat = (typeof resultFormats)[number];

export interface FormatOptions extends TableOptions, TextOptions {
  /** A row a point instead of a row a run. @default false */
  points?: boolean;
}

/** Results as pieces of text, streamed: a piece a row, each with its line end. */
export function formatResults(
  format: ResultFormat,
  campaign: Pick<Campaign, 'varied' | 'outputs' | 'precision'>,
  rows: AsyncIterable<ResultRow>,
  options: FormatOptions = {},
): AsyncIterable<string> {
  const table = options.points ? pointTable(campaign, rows) : resultTable(campaign, rows, options);
  switch (format) {
    case 'table':
      return text(table, options);
    case 'csv':
      return csv(table);
    case 'jsonl':
      return jsonl(table);
  }
}
