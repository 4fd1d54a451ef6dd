import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { toOutputs } from './packed.ts';
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

/**
 * A query for the outputs of runs, unordered; it may also give outputs of a few other runs. Neighbouring points usually
 * have neighbouring seqs in the same replication, so the seqs form ranges. A range is one index scan; looking up the
 * runs one by one takes several times as long. Each range has its own select, because PostgreSQL joins a list of ranges
 * without the index while it has no statistics.
 */
export function outputsOf(db: Kysely<Tables>, campaign: number, seqs: readonly number[]) {
  const outputs = db
    .selectFrom('outputs')
    .select(['seq', 'outputs', 'packed'])
    .where('campaign', '=', campaign);
  return inRanges(outputs, seqs);
}

/** A query for the sizes of compressed outputs, in bytes, like {@link outputsOf}. It does not read the outputs. */
function packedSizesOf(db: Kysely<Tables>, campaign: number, seqs: readonly number[]) {
  const sizes = db
    .selectFrom('outputs')
    .select(['seq', sql<number>`length(packed)`.as('size')])
    .where('campaign', '=', campaign)
    .where('packed', 'is not', null);
  return inRanges(sizes, seqs);
}

function inRanges<Row>(query: SelectQueryBuilder<Tables, 'outputs', Row>, seqs: readonly number[]) {
  const ranges = rangesOf(seqs);
  if (ranges.length > MOST_RANGES) return query.where('seq', 'in', seqs);
  const [first, ...others] = ranges.map(([from, to]) =>
    query.where('seq', '>=', from).where('seq', '<=', to),
  );
  return others.reduce((all, one) => all.unionAll(one), first!);
}

/** The compressed outputs of the runs that are read at once have at most this many bytes, unless it is one run. */
const PACKED_AT_ONCE = 16_000_000;

/** Divides runs into portions whose outputs fit into memory. */
export async function portionsOf<Run extends { seq: number }>(
  db: Kysely<Tables>,
  campaign: number,
  runs: readonly Run[],
): Promise<Run[][]> {
  if (runs.length === 0) return [];
  const sizes = await packedSizesOf(
    db,
    campaign,
    runs.map(({ seq }) => seq),
  ).execute();
  const sizeOf = new Map(sizes.map(({ seq, size }) => [seq, Number(size)]));
  const portions: Run[][] = [[]];
  let packed = 0;
  for (const run of runs) {
    const size = sizeOf.get(run.seq) ?? 0;
    if (packed > 0 && packed + size > PACKED_AT_ONCE) {
      portions.push([]);
      packed = 0;
    }
    packed += size;
    portions.at(-1)!.push(run);
  }
  return portions;
}

/** The number of characters of a run's outputs. */
export function lengthOf({ outputs }: ResultRow): number {
  let length = 0;
  for (const name in outputs) length += outputs[name]!.length;
  return length;
}

/**
 * Reads the finished runs among `seqs`, in the order of `seqs`. If they were ordered by design, SQLite would scan all
 * points. It stops after the run at which the outputs reach `characters`; `left` has the seqs after it.
 */
export async function runsOfSeqs(
  db: Kysely<Tables>,
  campaign: number,
  seqs: readonly number[],
  characters: number,
): Promise<{ rows: FinishedRow[]; left: number[] }> {
  const found: FinishedRow[] = [];
  let [at, length] = [0, 0];
  for (const portion of await portionsOf(
    db,
    campaign,
    seqs.map((seq) => ({ seq })),
  )) {
    const rows = await finishedRuns(db, campaign)
      .leftJoin('outputs', (join) =>
        join.onRef('outputs.campaign', '=', 'runs.campaign').onRef('outputs.seq', '=', 'runs.seq'),
      )
      .select(['outputs.outputs', 'outputs.packed'])
      .where('runs.campaign', '=', campaign)
      .where(
        'runs.seq',
        'in',
        portion.map(({ seq }) => seq),
      )
      .execute();
    const bySeq = new Map(rows.map((run) => [run.seq, run]));
    for (const { seq } of portion) {
      if (length >= characters) return { rows: found, left: seqs.slice(at) };
      at += 1;
      const run = bySeq.get(seq);
      if (!run) continue;
      const row = new Result(run, run);
      length += lengthOf(row);
      found.push({ seq, ordinal: run.ordinal, position: run.position, row });
    }
  }
  return { rows: found, left: [] };
}

function inDesignOrder(db: Kysely<Tables>, campaign: number) {
  return finishedRuns(db, campaign)
    .orderBy('points.position')
    .orderBy('points.ordinal')
    .orderBy('runs.replication');
}

function finishedRuns(db: Kysely<Tables>, campaign: number) {
  return (
    db
      .selectFrom('points')
      .innerJoin('runs', (join) =>
        join.onRef('runs.campaign', '=', 'points.campaign').onRef('runs.ordinal', '=', 'points.ordinal'),
      )
      .select(['points.key', 'points.values', 'points.position', 'points.ordinal', 'points.draws'])
      .select(['runs.seq', 'runs.replication', 'runs.state', 'runs.reason', 'runs.run_id', 'runs.origin'])
      .select(['runs.requested_at', 'runs.finished_at', 'runs.version'])
      .where('points.campaign', '=', campaign)
      // `NOT IN` on purpose: with `IN`, PostgreSQL picks the state index and reads every finished run
      .where('runs.state', 'not in', unfinishedStates)
      .$narrowType<{ state: 'done' | 'failed' }>()
  );
}

/** A finished run with its point. */
type RunToRow = Awaited<ReturnType<ReturnType<typeof finishedRuns>['execute']>>[number];

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
   * @param values - the values of the run's point, if they have already been parsed
   */
  constructor(
    run: RunToRow,
    outputs: Parameters<typeof toOutputs>[0] | undefined,
    values = JSON.parse(run.values) as readonly string[],
  ) {
    this.point = run.key;
    this.replication = run.replication;
    this.status = run.state;
    this.values = values;
    this.draws = run.draws > 1 ? run.draws : undefined;
    this.outputs = toOutputs(outputs ?? { outputs: null, packed: null });
    this.reason = run.reason;
    this.runId = run.run_id;
    this.origin = run.origin;
    this.requestedAt = run.requested_at;
    this.finishedAt = run.finished_at;
    this.version = run.version;
  }
}

/** Makes ranges, each with its first and last number. Together they contain all given numbers and few others. */
function rangesOf(numbers: readonly number[]): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (const number of Int32Array.from(numbers).sort()) {
    const last = ranges.at(-1);
    if (last && number - last[1] <= GAP) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
