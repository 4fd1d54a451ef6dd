import type { Kysely } from 'kysely';
import { runsOfSeqs } from './results.ts';
import type { ResultStore } from './store.ts';
import { finishedStates, type Tables } from './tables.ts';

/** The maximum number of seqs that are read at once. */
const SEQS_AT_ONCE = 10_000;
/** The outputs that are read at once have about this many characters at most. */
const CHARACTERS_AT_ONCE = 4_000_000;

/**
 * Yields the seqs of finished runs from `from` on, in batches. The seqs ascend within each state. The database answers
 * this from the state index alone.
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
 * Reads the runs among `seqs` that have finished, ordered by seq. Runs after the point at which the outputs reach
 * `CHARACTERS_AT_ONCE` are not looked up.
 */
export function finishedAmong(
  db: Kysely<Tables>,
  campaign: number,
  seqs: readonly number[],
): ReturnType<ResultStore['finishedAmong']> {
  return runsOfSeqs(
    db,
    campaign,
    seqs.toSorted((a, b) => a - b),
    CHARACTERS_AT_ONCE,
  );
}
