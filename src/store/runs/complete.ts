import { type Kysely, sql } from 'kysely';
import { toColumns } from '../results/packed.ts';
import type { RunObservation } from '../types.ts';
import { finishedStates, type Tables } from '../tables.ts';

/** An observation that a run is done. */
export type Done = Extract<RunObservation, { state: 'done' }>;

/**
 * Writes completed runs and their outputs, with two statements for any number of runs. Runs that have already finished
 * stay unchanged. Returns the runs that were written.
 */
export async function completeRuns(
  db: Kysely<Tables>,
  campaign: number,
  done: readonly Done[],
  now: number,
): Promise<Done[]> {
  // if a run was observed twice, the first observation counts
  const first = new Map(done.toReversed().map((seen) => [seen.seq, seen]));
  const rows = [...first.values()].map(
    ({ seq, runId, origin }) =>
      sql`(cast(${campaign} as integer), cast(${seq} as integer), cast(${runId} as text), ${origin})`,
  );
  // SQLite and PostgreSQL both name the columns of VALUES column1, column2, …. The values include the campaign, and the
  // condition uses NOT IN, so that SQLite looks up each run by campaign and seq. Otherwise SQLite would pick an index
  // for the other conditions and read all runs that match.
  const { rows: written } = await sql<{ seq: number }>`
    update runs set state = 'done', run_id = v.column3, origin = v.column4, reason = null,
      finished_at = cast(${now} as bigint)
    from (values ${sql.join(rows)}) as v
    where runs.campaign = v.column1 and runs.seq = v.column2 and runs.state not in (${sql.join([...finishedStates])})
    returning runs.seq as seq`.execute(db);
  if (written.length === 0) return [];
  const writtenRuns = written.map(({ seq }) => first.get(seq)!);
  await db
    .insertInto('outputs')
    .values(writtenRuns.map(({ seq, outputs }) => ({ campaign, seq, ...toColumns(outputs) })))
    .onConflict((conflict) => conflict.columns(['campaign', 'seq']).doNothing())
    .execute();
  return writtenRuns;
}
