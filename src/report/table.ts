import type { InputType, OutputType, Unit } from '../api/index.ts';
import type { Campaign } from '../campaign/types.ts';
import type { ResultRow } from '../store/index.ts';
import { cellOf, type Kind, kindOfInput, kindOfOutput } from './values.ts';

export interface Column {
  name: string;
  kind: Kind;
  /** Of an input or output; undefined for what foray itself says of a run. */
  type?: InputType | OutputType;
  units?: Unit | null;
}

/** The text of a value, numbers as they were given; null where a run has none. */
export type Cell = string | null;

export interface Table {
  columns: Column[];
  rows: AsyncIterable<Cell[]>;
}

export interface TableOptions {
  /** Adds what differs between two equal campaigns: reason, run, origin and times. @default false */
  all?: boolean;
}

/**
 * The results as a table, a row a run. Its columns depend on the campaign alone, never on the rows: point, replication,
 * status, then each input that the design varies, then each output. The default ones hold nothing that differs between
 * two equal campaigns.
 */
export function resultTable(
  campaign: Pick<Campaign, 'varied' | 'outputs'>,
  rows: AsyncIterable<ResultRow>,
  { all = false }: TableOptions = {},
): Table {
  const outputs = campaign.outputs.map(({ name, type }) => ({ name, kind: kindOfOutput(type) }));
  const cells = (row: ResultRow): Cell[] => [
    row.point,
    String(row.replication),
    row.status,
    ...row.values,
    ...outputs.map(({ name, kind }) => cellOf(kind, row.outputs[name])),
    ...(all ? [row.reason, row.runId, row.origin, isoTime(row.requestedAt), isoTime(row.finishedAt)] : []),
  ];
  return { columns: columnsOf(campaign, all), rows: mapped(rows, cells) };
}

function columnsOf({ varied, outputs }: Pick<Campaign, 'varied' | 'outputs'>, all: boolean): Column[] {
  const taken = new Set<string>();
  // a model may call an input "status", or an input and an output alike: names in a table are unique
  const named = (column: Column, suffix: string): Column => {
    let { name } = column;
    while (taken.has(name)) name += suffix;
    taken.add(name);
    return { ...column, name };
  };
  const ours = [text('point'), { name: 'replication', kind: 'number' as const }, text('status')];
  const more = all ? ['reason', 'run', 'origin', 'requested', 'finished'].map(text) : [];
  for (const { name } of [...ours, ...more]) taken.add(name);
  return [
    ...ours,
    ...varied.map(({ name, type, units }) =>
      named({ name, kind: kindOfInput(type), type, units }, ' (input)'),
    ),
    ...outputs.map(({ name, type, units }) =>
      named({ name, kind: kindOfOutput(type), type, units }, ' (output)'),
    ),
    ...more,
  ];
}

function text(name: string): Column {
  return { name, kind: 'text' };
}

/** ISO 8601 in UTC of ms since the epoch. */
function isoTime(time: number | null): Cell {
  return time === null ? null : new Date(time).toISOString();
}

async function* mapped<From, To>(items: AsyncIterable<From>, change: (item: From) => To): AsyncIterable<To> {
  for await (const item of items) yield change(item);
}
