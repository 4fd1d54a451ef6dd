import { type Kysely, type ReferenceExpression, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import { type OutputColumns, toOutputs } from './packed.ts';
import type { FinishedRow, ResultPlace, ResultRow } from '../types.ts';
import { type Tables, unfinishedStates } from '../tables.ts';

/**
 * The largest distance between two neighbouring seqs in one range. Outputs between them may be read without need, but
 * that costs less than another range.
 */
const GAP = 4;

/** The maximum number of ranges in one statement. If there are more ranges, the statement looks up each run. */
const MOST_RANGES = 50;

/** The place before the first row. */
export const BEGINNING: ResultPlace = { position: -1, ordinal: -1, replication: 0 };

/**
 * A query for the rows after a place within the same point. This query and `otherPoints` are index scans, however many
 * rows there are.
 */
export function restOfPoint(db: Kysely<Tables>, campaign: number, { ordinal, replication }: ResultPlace) {
  return inDesignOrder(db, campaign)
    .where('points.ordinal', '=', ordinal)
    .where('runs.ordinal', '=', ordinal)
    .where('runs.replication', '>', replication);
}

/**
 * A query for the rows of all points after a place. It also compares ordinals, because two points may have the same
 * position while the design changes.
 */
export function otherPoints(db: Kysely<Tables>, campaign: number, { position, ordinal }: ResultPlace) {
  return inDesignOrder(db, campaign).where((row) =>
    row(row.refTuple('points.position', 'points.ordinal'), '>', row.tuple(position, ordinal)),
  );
}

/** Runs whose outputs are in memory together. A run without outputs has no entry in `outputs`. */
interface Portion<Run> {
  runs: readonly Run[];
  outputs: Map<number, OutputColumns>;
}

/** The compressed outputs of the runs that are read at once have at most this many bytes, unless it is one run. */
const PACKED_AT_ONCE = 16_000_000;

/**
 * Reads the outputs of runs. One statement reads the short outputs of all runs, and the sizes of the compressed ones. If
 * there are any, the runs are divided into portions whose outputs fit into memory.
 */
export async function* withOutputs<Run extends { seq: number }>(
  db: Kysely<Tables>,
  campaign: number,
  runs: readonly Run[],
): AsyncGenerator<Portion<Run>, void, void> {
  if (runs.length === 0) return;
  const seqs = runs.map(({ seq }) => seq);
  const short = await shortOutputsOf(db, campaign, seqs).execute();
  const outputs = new Map<number, OutputColumns>();
  const sizes = new Map<number, number>();
  for (const { seq, outputs: text, size } of short) {
    outputs.set(seq, { outputs: text, packed: null });
    if (size !== null) sizes.set(seq, Number(size));
  }
  for (const portion of portionsOf(runs, sizes)) {
    const large = new Set(portion.map(({ seq }) => seq).filter((seq) => sizes.has(seq)));
    if (large.size > 0) {
      // the short outputs are read again, because they may have changed together with the compressed ones
      const all = db
        .selectFrom('outputs')
        .select(['seq', 'outputs', 'packed'])
        .where('campaign', '=', campaign);
      const rows = await inRanges(all, 'seq', [...large]).execute();
      for (const row of rows) if (large.has(row.seq)) outputs.set(row.seq, row);
    }
    yield { runs: portion, outputs };
    for (const seq of large) outputs.delete(seq);
  }
}

/** A query for the short outputs of runs, and for the sizes of their compressed outputs in bytes, which it does not read. */
export function shortOutputsOf(db: Kysely<Tables>, campaign: number, seqs: readonly number[]) {
  const outputs = db
    .selectFrom('outputs')
    .select(['seq', 'outputs', sql<number | null>`length(packed)`.as('size')])
    .where('campaign', '=', campaign);
  return inRanges(outputs, 'seq', seqs);
}

/** Divides runs into portions whose compressed outputs fit into memory. */
function portionsOf<Run extends { seq: number }>(
  runs: readonly Run[],
  sizes: ReadonlyMap<number, number>,
): (readonly Run[])[] {
  if (sizes.size === 0) return [runs];
  const portions: Run[][] = [[]];
  let packed = 0;
  for (const run of runs) {
    const size = sizes.get(run.seq) ?? 0;
    if (packed > 0 && packed + size > PACKED_AT_ONCE) {
      portions.push([]);
      packed = 0;
    }
    packed += size;
    portions.at(-1)!.push(run);
  }
  return portions;
}

/**
 * A query for rows by a number, unordered; it may also give rows of a few other numbers. Neighbouring points usually
 * have neighbouring seqs in the same replication, so the numbers form ranges. A range is one index scan; looking up the
 * rows one by one takes several times as long. Each range has its own select, because PostgreSQL joins a list of ranges
 * without the index while it has no statistics.
 */
function inRanges<Table extends 'outputs' | 'points' | 'runs', Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  column: ReferenceExpression<Tables, Table>,
  numbers: readonly number[],
) {
  const ranges = rangesOf(numbers);
  if (ranges.length > MOST_RANGES) return query.where(column, 'in', numbers);
  const [first, ...others] = ranges.map(([from, to]) =>
    query.where(column, '>=', from).where(column, '<=', to),
  );
  return others.reduce((all, one) => all.unionAll(one), first!);
}

/** The number of characters of a run's outputs. */
export function lengthOf({ outputs }: ResultRow): number {
  let length = 0;
  for (const name in outputs) length += outputs[name]!.length;
  return length;
}

/**
 * Reads the finished runs among `seqs`, in the order of `seqs`. Each table is read by ranges, because a join looks up the
 * point and the outputs of each run one by one. It stops after the run at which the outputs reach `characters`; `left` has
 * the seqs after it.
 */
export async function runsOfSeqs(
  db: Kysely<Tables>,
  campaign: number,
  seqs: readonly number[],
  characters: number,
): Promise<{ rows: FinishedRow[]; left: number[] }> {
  if (seqs.length === 0) return { rows: [], left: [] };
  const finished = await inRanges(
    db
      .selectFrom('runs')
      .select([...runColumns, 'runs.ordinal'])
      .where('campaign', '=', campaign)
      .where('state', 'not in', unfinishedStates)
      .$narrowType<Finished>(),
    'seq',
    seqs,
  ).execute();
  const bySeq = new Map(finished.map((run) => [run.seq, run]));
  const runs = seqs.flatMap((seq) => bySeq.get(seq) ?? []);
  const points = await placedPointsOf(
    db,
    campaign,
    runs.map(({ ordinal }) => ordinal),
  );
  const found: FinishedRow[] = [];
  let length = 0;
  for await (const portion of withOutputs(db, campaign, runs)) {
    for (const run of portion.runs) {
      if (length >= characters) return { rows: found, left: seqs.slice(seqs.indexOf(run.seq)) };
      const placed = points.get(run.ordinal);
      // a change may have dropped the point meanwhile
      if (!placed) continue;
      const { point, values } = placed;
      const row = new Result(run, point, portion.outputs.get(run.seq), values);
      length += lengthOf(row);
      found.push({ seq: run.seq, ordinal: run.ordinal, position: point.position, row });
    }
  }
  return { rows: found, left: [] };
}

/** Points with their places in the design, by ordinal. There may be many, so they are read by ranges. */
async function placedPointsOf(db: Kysely<Tables>, campaign: number, ordinals: readonly number[]) {
  if (ordinals.length === 0) return new Map<number, never>();
  const points = await inRanges(
    db
      .selectFrom('points')
      .select([...pointColumns, 'points.position', 'points.ordinal'])
      .where('campaign', '=', campaign),
    'ordinal',
    ordinals,
  ).execute();
  return new Map(
    points.map((point) => [point.ordinal, { point, values: JSON.parse(point.values) as string[] }]),
  );
}

const pointColumns = ['points.key', 'points.values', 'points.draws'] as const;
const runColumns = [
  'runs.seq',
  'runs.replication',
  'runs.state',
  'runs.reason',
  'runs.run_id',
  'runs.origin',
  'runs.requested_at',
  'runs.finished_at',
  'runs.version',
] as const;

interface Finished {
  state: 'done' | 'failed';
}

/** Finished runs with their points in the order of the design. */
function inDesignOrder(db: Kysely<Tables>, campaign: number) {
  return (
    db
      .selectFrom('points')
      .innerJoin('runs', (join) =>
        join.onRef('runs.campaign', '=', 'points.campaign').onRef('runs.ordinal', '=', 'points.ordinal'),
      )
      .select([...pointColumns, ...runColumns, 'points.position', 'points.ordinal'])
      .where('points.campaign', '=', campaign)
      // `NOT IN` on purpose: with `IN`, PostgreSQL picks the state index and reads every finished run
      .where('runs.state', 'not in', unfinishedStates)
      .$narrowType<Finished>()
      .orderBy('points.position')
      .orderBy('points.ordinal')
      .orderBy('runs.replication')
  );
}

type Column<Of extends string> = Of extends `${string}.${infer Name}` ? Name : never;

/**
 * A finished run with its outputs. It is a class, because V8 records for each object literal in the code whether its
 * objects live long. If V8 decides that rows live long, it puts all later rows into the old generation, and memory use
 * grows by half.
 */
export class Result implements ResultRow {
  readonly point: string;
  readonly replication: number;
  readonly status: 'done' | 'failed';
  readonly values: readonly string[];
  readonly draws: number | undefined;
  readonly outputs: Record<string, string>;
  readonly reason: string | null;
  readonly runId: string | null;
  readonly origin: ResultRow['origin'];
  readonly requestedAt: number | null;
  readonly finishedAt: number | null;
  readonly version: number | null;

  /**
   * @param outputs - undefined if the run has no outputs
   * @param values - the values of the point, if they have already been parsed
   */
  constructor(
    run: Pick<Selectable<Tables['runs']>, Column<(typeof runColumns)[number]>> & Finished,
    point: Pick<Selectable<Tables['points']>, Column<(typeof pointColumns)[number]>>,
    outputs: OutputColumns | undefined,
    values = JSON.parse(point.values) as readonly string[],
  ) {
    this.point = point.key;
    this.replication = run.replication;
    this.status = run.state;
    this.values = values;
    this.draws = point.draws > 1 ? point.draws : undefined;
    this.outputs = toOutputs(outputs ?? { outputs: null, packed: null });
    this.reason = run.reason;
    this.runId = run.run_id;
    this.origin = run.origin;
    this.requestedAt = run.requested_at;
    this.finishedAt = run.finished_at;
    this.version = run.version;
  }
}

/** Makes ranges, each with its first and last number. Together they contain all given numbers, and few others. */
function rangesOf(numbers: readonly number[]): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (const number of Int32Array.from(numbers).sort()) {
    const last = ranges.at(-1);
    if (last && number - last[1] <= GAP) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
