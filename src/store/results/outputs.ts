import type { Kysely } from 'kysely';
import { toColumns, toOutputs } from './packed.ts';
import { withOutputs } from './read.ts';
import { pointsOf } from '../by-id.ts';
import type { DoneRun } from '../types.ts';
import type { Tables } from '../tables.ts';

/** The maximum number of runs that one step reads. */
const RUNS_AT_ONCE = 500;

/** Yields completed runs that lack at least one of the given outputs, in batches ordered by seq. */
export async function* lackingRuns(
  db: Kysely<Tables>,
  campaign: number,
  outputs: readonly string[],
): AsyncGenerator<DoneRun[]> {
  for (let after = -1; ;) {
    const page = await db
      .selectFrom('outputs')
      .innerJoin('runs', (join) =>
        join.onRef('runs.campaign', '=', 'outputs.campaign').onRef('runs.seq', '=', 'outputs.seq'),
      )
      .select([
        'runs.seq',
        'runs.ordinal',
        'runs.replication',
        'runs.reseeded',
        'runs.run_id',
        'runs.version',
      ])
      .where('outputs.campaign', '=', campaign)
      .where('outputs.seq', '>', after)
      .orderBy('outputs.seq')
      .limit(RUNS_AT_ONCE)
      .execute();
    if (page.length === 0) return;
    after = page.at(-1)!.seq;
    for await (const { runs: portion, outputs: columns } of withOutputs(db, campaign, page)) {
      const lacking = portion.filter(({ seq }) => {
        const known = columns.get(seq);
        const values = known ? toOutputs(known) : {};
        return !outputs.every((name) => Object.hasOwn(values, name));
      });
      const points = await pointsOf(db, campaign, lacking);
      yield lacking.map(({ seq, ordinal, replication, reseeded, run_id: runId, version }) => ({
        seq,
        point: points.get(ordinal)!,
        replication,
        reseeded,
        runId,
        version,
      }));
    }
  }
}

/** Replaces the outputs of runs. */
export async function setOutputs(
  db: Kysely<Tables>,
  campaign: number,
  rows: readonly { seq: number; outputs: Record<string, string> }[],
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const { seq, outputs } of rows) {
      await transaction
        .updateTable('outputs')
        .set(toColumns(outputs))
        .where('campaign', '=', campaign)
        .where('seq', '=', seq)
        .execute();
    }
  });
}
