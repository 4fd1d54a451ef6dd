import type { Kysely } from 'kysely';
import { toOutputs } from './packed.ts';
import type { FinishedRow, ResultPlace, ResultRow } from './store.ts';
import { type Tables, unfinishedStates } from './tables.ts';

/**
 * Largest distance between two neighbouring seqs in one range. The runs between them have failed or are read for
 * nothing, which costs less than another range.
 */
const GAP = 4;

/** Maximum number of ranges in one statement. With more ranges there would be nearly as many ranges as runs. */
const MOST_RANGES = 50;

/** The place before the first row. */
export const BEGINNING: ResultPlace = { position: -1, ordinal: -1, replication: 0 };

/**
 * The rows after a place within the same point. This query and the next one are index scans, for any number of rows.
 */
export function restOfPoint(db: Kysely<Tables>, campaign: number, { ordinal, replication }: ResultPlace) {
  return inDesignOrder(db, campaign)
    .where('points.ordinal', '=', ordinal)
    .where('runs.ordinal', '=', ordinal)
    .where('runs.replication', '>', replication);
}

/** The rows of all points after a place. While the design changes, two points may have the same position. */
export function otherPoints(db: Kysely<Tables>, campaign: number, { position, ordinal }: ResultPlace) {
  return inDesignOrder(db, campaign).where((row) =>
    row(row.refTuple('points.position', 'points.ordinal'), '>', row.tuple(position, ordinal)),
  );
}

/**
 * Outputs of runs, unordered. Neighbouring points mostly have neighbouring seqs in the same replication. Each such
 * range is one index scan, and looking runs up one by one takes several times as long. Each range is a select of its
 * own, because PostgreSQL joins a list of ranges without the index as long as it has no statistics.
 */
export function outputsOf(db: Kysely<Tables>, campaign: number, seqs: readonly number[]) {
  const outputs = db
    .selectFrom('outputs')
    .select(['seq', 'outputs', 'packed'])
    .where('campaign', '=', campaign);
  const ranges = rangesOf(seqs);
  if (ranges.length > MOST_RANGES) return outputs.where('seq', 'in', seqs);
  const [first, ...others] = ranges.map(([from, to]) =>
    outputs.where('seq', '>=', from).where('seq', '<=', to),
  );
  return others.reduce((all, one) => all.unionAll(one), first!);
}

/** Finished runs by seq, unordered: ordering by design would make SQLite scan all points. */
export async function runsOfSeqs(
  db: Kysely<Tables>,
  campaign: number,
  seqs: readonly number[],
): Promise<FinishedRow[]> {
  const rows = await finishedRuns(db, campaign)
    .leftJoin('outputs', (join) =>
      join.onRef('outputs.campaign', '=', 'runs.campaign').onRef('outputs.seq', '=', 'runs.seq'),
    )
    .select(['outputs.outputs', 'outputs.packed'])
    .where('runs.campaign', '=', campaign)
    .where('runs.seq', 'in', seqs)
    .execute();
  return rows.map((run) => {
    const { seq, ordinal, position } = run;
    return { seq, ordinal, position, row: new Result(run, run) };
  });
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
      .select(['points.key', 'points.values', 'points.position', 'points.ordinal'])
      .select(['runs.seq', 'runs.replication', 'runs.state', 'runs.reason', 'runs.run_id', 'runs.origin'])
      .select(['runs.requested_at', 'runs.finished_at', 'runs.version'])
      .where('points.campaign', '=', campaign)
      // `NOT IN` on purpose: with `IN`, PostgreSQL picks the state index and reads every finished run
      .where('runs.state', 'not in', unfinishedStates)
      .$narrowType<{ state: 'done' | 'failed' }>()
  );
}

/** A finished run with its point. */
type FinishedRun = Awaited<ReturnType<ReturnType<typeof finishedRuns>['execute']>>[number];

/**
 * A finished run with its outputs. It is a class because V8 records for each object literal in the code whether its
 * objects live long. If V8 samples in the middle of a page, it puts all later rows into the old generation, and memory
 * use grows by half.
 */
export class Result implements ResultRow {
  readonly point: string;
  readonly replication: number;
  readonly status: 'done' | 'failed';
  readonly values: readonly string[];
  readonly outputs: Record<string, string>;
  readonly reason: string | null;
  readonly runId: string | null;
  readonly origin: ResultRow['origin'];
  readonly requestedAt: number | null;
  readonly finishedAt: number | null;
  readonly version: number | null;

  /**
   * @param outputs undefined when the run has none
   * @param values the values of its point, when they have been read already
   */
  constructor(
    run: FinishedRun,
    outputs: Parameters<typeof toOutputs>[0] | undefined,
    values = JSON.parse(run.values) as readonly string[],
  ) {
    this.point = run.key;
    this.replication = run.replication;
    this.status = run.state;
    this.values = values;
    this.outputs = outputs ? toOutputs(outputs) : {};
    this.reason = run.reason;
    this.runId = run.run_id;
    this.origin = run.origin;
    this.requestedAt = run.requested_at;
    this.finishedAt = run.finished_at;
    this.version = run.version;
  }
}

/** Ranges (first and last number) that contain all the numbers and few others. */
function rangesOf(numbers: readonly number[]): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (const number of Int32Array.from(numbers).sort()) {
    const last = ranges.at(-1);
    if (last && number - last[1] <= GAP) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
