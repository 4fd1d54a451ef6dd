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

/** Where to read from the beginning. */
export const BEGINNING: Place = { position: -1, ordinal: -1, replication: 0 };

/** What follows a row of its own point. This and what comes after are walks along an index, however many rows there are. */
export function restOfPoint(db: Kysely<Tables>, campaign: number, { ordinal, replication }: Place) {
  return finishedRuns(db, campaign)
    .where('points.ordinal', '=', ordinal)
    .where('runs.ordinal', '=', ordinal)
    .where('runs.replication', '>', replication);
}

/** What follows the point of a row. While the design is being changed, two points may be at one position. */
export function otherPoints(db: Kysely<Tables>, campaign: number, { position, ordinal }: Place) {
  return finishedRuns(db, campaign).where((row) =>
    row(row.refTuple('points.position', 'points.ordinal'), '>', row.tuple(position, ordinal)),
  );
}

/** Finished runs of a campaign in design order. */
function finishedRuns(db: Kysely<Tables>, campaign: number) {
  return (
    db
      .selectFrom('points')
      .innerJoin('runs', (join) =>
        join.onRef('runs.campaign', '=', 'points.campaign').onRef('runs.ordinal', '=', 'points.ordinal'),
      )
      .leftJoin('outputs', (join) =>
        join.onRef('outputs.campaign', '=', 'runs.campaign').onRef('outputs.seq', '=', 'runs.seq'),
      )
      .select(['points.key', 'points.values', 'points.position', 'points.ordinal'])
      .select(['outputs.outputs', 'outputs.packed'])
      .select(['runs.replication', 'runs.state', 'runs.reason', 'runs.run_id', 'runs.origin'])
      .select(['runs.requested_at', 'runs.finished_at'])
      .where('points.campaign', '=', campaign)
      // "not in", as of states that they are in an index knows, by which PostgreSQL would read all that has finished
      .where('runs.state', 'not in', unfinishedStates)
      .orderBy('points.position')
      .orderBy('points.ordinal')
      .orderBy('runs.replication')
      .$narrowType<{ state: 'done' | 'failed' }>()
  );
}

/** Finished runs of some seqs, in no order: in that of the design SQLite would walk along all points. */
export function runsOfSeqs(db: Kysely<Tables>, campaign: number, seqs: readonly number[]) {
  return finishedRuns(db, campaign)
    .clearOrderBy()
    .select('runs.seq')
    .where('runs.campaign', '=', campaign)
    .where('runs.seq', 'in', seqs);
}

type Row = Awaited<ReturnType<ReturnType<typeof finishedRuns>['execute']>>[number];

/** @param before the row before it, which may be of the same point: that has been read then */
export function toResult(row: Row, before?: ResultRow): ResultRow {
  return {
    point: row.key,
    replication: row.replication,
    status: row.state,
    values: before?.point === row.key ? before.values : (JSON.parse(row.values) as string[]),
    outputs: toOutputs(row),
    reason: row.reason,
    runId: row.run_id,
    origin: row.origin,
    requestedAt: row.requested_at,
    finishedAt: row.finished_at,
  };
}
