import type { Kysely } from 'kysely';
import { runsOfSeqs } from './read.ts';
import { finishedStates, type Tables } from '../tables.ts';
import type { FinishedRow } from '../types.ts';

/** The maximum number of seqs that are read at once. */
const SEQS_AT_ONCE = 10_000;
/** The outputs that are read at once have about this many characters at most. */
const CHARACTERS_AT_ONCE = 4_000_000;

/**
 * The seqs of finished runs from `from` on, in batches of at most 10,000. Completed runs come first, then failed
 * runs. The seqs of each group ascend.
 *
 * The database answers this from the state index alone.
 */
export async function* finishedSeqs(
  db: Kysely<Tables>,
  campaign: number,
  from: number,
): AsyncIterable<number[]> {
  for (const state of finishedStates) {
    for (let after = from - 1; ;) {
      const page = await db
        .selectFrom('runs')
        .select('seq')
        .where('state', '=', state)
        .where('campaign', '=', campaign)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(SEQS_AT_ONCE)
        .execute();
      if (page.length > 0) yield page.map(({ seq }) => seq);
      if (page.length < SEQS_AT_ONCE) break;
      after = page.at(-1)!.seq;
    }
  }
}

/**
 * The finished runs among at most 1,000 runs, ordered by seq. If their outputs are large, only the first of the runs
 * are looked up, and `left` has the others.
 */
export function finishedAmong(
  db: Kysely<Tables>,
  campaign: number,
  seqs: readonly number[],
): Promise<{ rows: FinishedRow[]; left: number[] }> {
  return runsOfSeqs(
    db,
    campaign,
    seqs.toSorted((a, b) => a - b),
    CHARACTERS_AT_ONCE,
  );
}
