import { setImmediate as breath } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { runsOfSeqs, toResult } from './results.ts';
import type { ResultRow } from './store.ts';
import { finishedStates, type Tables } from './tables.ts';

/** Runs that are looked up by one statement: below SQLite's limit of variables. */
const AT_ONCE = 500;
/** Numbers of runs that are read at once. */
const SEQS_AT_ONCE = 10_000;

/**
 * Finished runs that are new to somebody, in the order of work, some at a time.
 *
 * @param from the seq from which on there may be new ones
 * @param isKnown whether a run of some seq is known
 */
export async function* finishedSince(
  db: Kysely<Tables>,
  campaign: number,
  from: number,
  isKnown: (seq: number) => boolean,
): AsyncIterable<(ResultRow & { seq: number })[]> {
  for (const state of finishedStates) {
    for (let after = from - 1; ;) {
      // the index of states has all that this asks for: what is known already costs little
      const page = await db
        .selectFrom('runs')
        .select('seq')
        .where('state', '=', state)
        .where('campaign', '=', campaign)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(SEQS_AT_ONCE)
        .execute();
      const seqs = page.map(({ seq }) => seq).filter((seq) => !isKnown(seq));
      for (let at = 0; at < seqs.length; at += AT_ONCE) {
        const rows = await runsOfSeqs(db, campaign, seqs.slice(at, at + AT_ONCE)).execute();
        yield rows.map((row) => ({ ...toResult(row), seq: row.seq })).sort((a, b) => a.seq - b.seq);
        await breath();
      }
      if (page.length < SEQS_AT_ONCE) break;
      after = page.at(-1)!.seq;
    }
  }
}
