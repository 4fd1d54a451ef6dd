import type { Kysely } from 'kysely';
import { Batched } from '../../batched.ts';
import { finishedAmong, finishedSeqs } from './finished.ts';
import { lackingRuns, setOutputs } from './outputs.ts';
import { recentResults } from './recent.ts';
import { resultBatches, resultPage } from './pages.ts';
import type { Tables } from '../tables.ts';
import { batchesById, byId, numberOf } from '../by-id.ts';
import type { Origin, ResultRow } from '../types.ts';

/** Results: finished runs with their outputs. */
export function resultStore(db: Kysely<Tables>) {
  const batchesOfResults = batchesById(db, resultBatches);
  return {
    /** Finished runs in design order: by point, then replication. With `only`, those of the point with this key. */
    results: (id: string, only?: string): Batched<ResultRow> => new Batched(batchesOfResults(id, only)),
    resultPage: byId(db, resultPage),
    recentResults: byId(db, recentResults),

    /** The outcomes of the given runs that have finished. A repeated activity starts from these. */
    async finished(
      id: string,
      seqs: readonly number[],
    ): Promise<{ seq: number; state: 'done' | 'failed'; origin: Origin | null }[]> {
      if (seqs.length === 0) return [];
      // the condition is only on seq: with a condition on the state, SQLite would pick the state index and read every
      // finished run
      const rows = await db
        .selectFrom('runs')
        .select(['seq', 'state', 'origin'])
        .where('campaign', '=', await numberOf(db, id))
        .where('seq', 'in', seqs)
        .execute();
      return rows.flatMap(({ seq, state, origin }) =>
        state === 'done' || state === 'failed' ? [{ seq, state, origin }] : [],
      );
    },

    finishedSeqs: batchesById(db, finishedSeqs),
    finishedAmong: byId(db, finishedAmong),

    lacking: batchesById(db, lackingRuns),
    setOutputs: byId(db, setOutputs),
  };
}
