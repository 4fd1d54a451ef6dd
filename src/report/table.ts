import type { InputType, OutputType, Unit } from '../api/index.ts';
import type { Campaign } from '../campaign/types.ts';
import type { ResultRow } from '../store/index.ts';
import { estimateOf } from '../campaign/precision.ts';
import { type PointResult, pointsOf } from './points.ts';
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
  const ours = [text('point'), { name: 'replication', kind: 'number' as const }, text('status')];
  const more = all ? ['reason', 'run', 'origin', 'requested', 'finished'].map(text) : [];
  const theirs = [
    ...varied.map(({ name, type, units }) => ({
      column: { name, kind: kindOfInput(type), type, units },
      suffix: ' (input)',
    })),
    ...outputs.map(({ name, type, units }) => ({
      column: { name, kind: kindOfOutput(type), type, units },
      suffix: ' (output)',
    })),
  ];
  const columns = uniquelyNamed([...ours, ...more], theirs);
  const after = ours.length + more.length;
  return [...columns.slice(0, ours.length), ...columns.slice(after), ...more];
}

/** Columns of foray's own and of the model: it may call an input "status", or an input and an output alike. */
function uniquelyNamed(
  ours: readonly Column[],
  theirs: readonly { column: Column; suffix: string }[],
): Column[] {
  const taken = new Set(ours.map(({ name }) => name));
  const named = theirs.map(({ column, suffix }) => {
    let { name } = column;
    while (taken.has(name)) name += suffix;
    taken.add(name);
    return { ...column, name };
  });
  return [...ours, ...named];
}

/**
 * The results put together, a row a point: its key, the varied inputs, how many replications are done and failed, then of
 * each numeric output n, mean, sd, low and high (the interval of the mean by Student's t), min and max. Where points are
 * replicated until they are precise, `reached` says whether an output they go by is.
 * The confidence is the campaign's, or 0.95.
 */
export function pointTable(
  campaign: Pick<Campaign, 'varied' | 'outputs' | 'precision'>,
  rows: AsyncIterable<ResultRow>,
): Table {
  const { varied, precision } = campaign;
  const outputs = campaign.outputs.filter(({ type }) => kindOfOutput(type) === 'number');
  const goal = precision ?? { relative: null, absolute: null, confidence: CONFIDENCE };
  const isGoal = (name: string): boolean => precision?.outputs.includes(name) ?? false;
  const cells = (point: PointResult): Cell[] => [
    point.key,
    ...point.values,
    String(point.runs),
    String(point.failed),
    ...outputs.flatMap(({ name }) => {
      const sample = point.samples[name]!;
      const { n, mean, sd, low, high, reached } = estimateOf(sample, goal);
      const [min, max] = n === 0 ? [null, null] : [sample.min, sample.max];
      const numbers = [n, mean, sd, low, high, min, max].map((number) =>
        number === null ? null : String(number),
      );
      return [...numbers, ...(isGoal(name) ? [String(reached)] : [])];
    }),
  ];
  const statistics = outputs.flatMap(({ name, units }) => [
    { name: `${name} n`, kind: 'number' as const },
    ...['mean', 'sd', 'low', 'high', 'min', 'max'].map((what) => ({
      name: `${name} ${what}`,
      kind: 'number' as const,
      units,
    })),
    ...(isGoal(name) ? [{ name: `${name} reached`, kind: 'boolean' as const }] : []),
  ]);
  const columns = uniquelyNamed(
    [text('point'), { name: 'replications', kind: 'number' }, { name: 'failed', kind: 'number' }],
    [
      ...varied.map(({ name, type, units }) => ({
        column: { name, kind: kindOfInput(type), type, units },
        suffix: ' (input)',
      })),
      ...statistics.map((column) => ({ column, suffix: ' (output)' })),
    ],
  );
  const [point, replications, failed, ...others] = columns;
  return {
    columns: [
      point!,
      ...others.slice(0, varied.length),
      replications!,
      failed!,
      ...others.slice(varied.length),
    ],
    rows: mapped(pointsOf(rows, campaign.outputs), cells),
  };
}

/** Of intervals, where a campaign says nothing of it. */
const CONFIDENCE = 0.95;

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
