import { type Kysely, sql } from 'kysely';
import { toColumns } from './packed.ts';
import type { RunObservation } from './store.ts';
import { finishedStates, type Tables } from './tables.ts';

/** A run that was seen to be done. */
export type Done = Extract<RunObservation, { state: 'done' }>;

/** Writes runs that are done with their outputs, by two statements whatever their number. Those that were, stay. */
export async function writeDone(
  db: Kysely<Tables>,
  campaign: number,
  done: readonly Done[],
  now: number,
): Promise<void> {
  // of one that was seen twice, the first time counts
  const first = new Map(done.toReversed().map((seen) => [seen.seq, seen]));
  const rows = [...first.values()].map(
    ({ seq, runId, origin }) =>
      sql`(cast(${campaign} as integer), cast(${seq} as integer), cast(${runId} as text), ${origin})`,
  );
  // SQLite and PostgreSQL call the columns of VALUES alike. The campaign is one of them, and it is "not in": by what is
  // said of a run beside its number SQLite would read all such runs rather than look these up.
  const { rows: written } = await sql<{ seq: number }>`
    update runs set state = 'done', run_id = v.column3, origin = v.column4, reason = null,
      finished_at = cast(${now} as bigint)
    from (values ${sql.join(rows)}) as v
    where runs.campaign = v.column1 and runs.seq = v.column2 and runs.state not in (${sql.join([...finishedStates])})
    returning runs.seq as seq`.execute(db);
  const values = written.map(({ seq }) => ({
    campaign,
    seq,
    ...toColumns(first.get(seq)!.outputs),
  }));
  if (values.length === 0) return;
  await db
    .insertInto('outputs')
    .values(values)
    .onConflict((conflict) => conflict.columns(['campaign', 'seq']).doNothing())
    .execute();
}
