import type { Kysely } from 'kysely';
import { toOutputs } from './packed.ts';
import type { ResultRow } from './store.ts';
import { type Tables, unfinishedStates } from './tables.ts';

/** The last row that was read. */
export interface Place {
  position: number;
  ordinal: number;
  replication: number;
}

/** From a seq to the next one at most within a range: runs between have failed or are read in vain, which a range costs more than. */
const GAP = 4;

/** Ranges that are read by one statement; more of them are no longer fewer than the runs by much. */
const MOST_RANGES = 50;

/** Where to read from the beginning. */
export const BEGINNING: Place = { position: -1, ordinal: -1, replication: 0 };

/** What follows a row of its own point. This and what comes after are walks along an index, however many rows there are. */
export function restOfPoint(db: Kysely<Tables>, campaign: number, { ordinal, replication }: Place) {
  return inDesignOrder(db, campaign)
    .where('points.ordinal', '=', ordinal)
    .where('runs.ordinal', '=', ordinal)
    .where('runs.replication', '>', replication);
}

/** What follows the point of a row. While the design is being changed, two points may be at one position. */
export function otherPoints(db: Kysely<Tables>, campaign: number, { position, ordinal }: Place) {
  return inDesignOrder(db, campaign).where((row) =>
    row(row.refTuple('points.position', 'points.ordinal'), '>', row.tuple(position, ordinal)),
  );
}

/**
 * Outputs of runs, in no order. Of points that follow each other the seqs of one replication mostly do as well, and each such
 * range is a walk along the index: looking runs up one by one takes several times as long. Each range is a select of its
 * own, as PostgreSQL joins a list of ranges without the index while it has not counted the rows.
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

/** Finished runs of some seqs, in no order: in that of the design SQLite would walk along all points. */
export async function runsOfSeqs(
  db: Kysely<Tables>,
  campaign: number,
  seqs: readonly number[],
): Promise<{ seq: number; row: ResultRow }[]> {
  const rows = await finishedRuns(db, campaign)
    .leftJoin('outputs', (join) =>
      join.onRef('outputs.campaign', '=', 'runs.campaign').onRef('outputs.seq', '=', 'runs.seq'),
    )
    .select(['outputs.outputs', 'outputs.packed'])
    .where('runs.campaign', '=', campaign)
    .where('runs.seq', 'in', seqs)
    .execute();
  return rows.map((row) => ({ seq: row.seq, row: new Result(row, row) }));
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
      // "not in", as of states that they are in an index knows, by which PostgreSQL would read all that has finished
      .where('runs.state', 'not in', unfinishedStates)
      .$narrowType<{ state: 'done' | 'failed' }>()
  );
}

/** A finished run with its point. */
type FinishedRun = Awaited<ReturnType<ReturnType<typeof finishedRuns>['execute']>>[number];

/**
 * A finished run with its outputs. A class, as V8 notes of each object literal whether what it makes lives long: where it happens
 * to look in the middle of a page, it puts all later rows among what is collected seldom, and memory grows by half.
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
   * @param outputs none where the run has none
   * @param values those of its point, where they have been read
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

/** Ranges that all of some numbers are in, first and last, and few others. */
function rangesOf(numbers: readonly number[]): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (const number of Int32Array.from(numbers).sort()) {
    const last = ranges.at(-1);
    if (last && number - last[1] <= GAP) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
