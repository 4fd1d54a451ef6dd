import { setImmediate as breath } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { assertThere } from '../deleted.ts';
import { BEGINNING, lengthOf, otherPoints, restOfPoint, Result, withOutputs } from './read.ts';
import type { ResultPlace, ResultRow } from '../types.ts';
import type { Tables } from '../tables.ts';

/** The maximum number of runs that one query reads, so that memory never holds a million runs. */
const ROWS_A_PAGE = 2_000;
/** A batch ends after this many rows. */
const ROWS_A_BATCH = 100;
/**
 * A batch ends earlier if its outputs reach this many characters. They are counted after they were decompressed: a long
 * text may be a thousand times as long as its compressed form.
 */
const CHARACTERS_A_BATCH = 4_000_000;
/** A page ends earlier if its outputs reach this many characters. */
const CHARACTERS_A_PAGE = 64_000_000;

/**
 * Yields the finished runs of a campaign in design order, in batches.
 *
 * @param only - the key of a point, for the runs of this point alone
 */
export async function* resultBatches(
  db: Kysely<Tables>,
  campaign: number,
  only?: string,
): AsyncGenerator<ResultRow[], void, void> {
  let place = only === undefined ? BEGINNING : await beginningOf(db, campaign, only);
  let last: ResultRow | undefined;
  for (;;) {
    const rest = await restOfPoint(db, campaign, place).limit(ROWS_A_PAGE).execute();
    const others =
      only === undefined ? otherPoints(db, campaign, place).limit(ROWS_A_PAGE - rest.length) : undefined;
    const runs = [...rest, ...((await others?.execute()) ?? [])];
    for await (const { runs: portion, outputs } of withOutputs(db, campaign, runs)) {
      await assertThere(db, campaign);
      let batch: ResultRow[] = [];
      let characters = 0;
      for (const run of portion) {
        // a row of the query has the columns of the run and those of its point
        const values = last?.point === run.key ? last.values : undefined;
        last = new Result(run, run, outputs.get(run.seq), values);
        outputs.delete(run.seq);
        batch.push(last);
        characters += lengthOf(last);
        if (batch.length < ROWS_A_BATCH && characters < CHARACTERS_A_BATCH) continue;
        yield batch;
        batch = [];
        characters = 0;
      }
      if (batch.length > 0) yield batch;
    }
    // the rows that are missing at the end may be those of a deleted campaign
    await assertThere(db, campaign);
    if (runs.length < ROWS_A_PAGE) return;
    place = runs.at(-1)!;
    await breath();
  }
}

/**
 * A page of finished runs in design order, and the place where the next page begins; null on the last page.
 *
 * @param limit - the maximum number of runs. A page with large outputs has fewer
 * @param after - `next` of the previous page; without it, the page begins at the first run
 * @param from - the number of runs before the page, instead of `after`; the database steps over these runs
 */
export async function resultPage(
  db: Kysely<Tables>,
  campaign: number,
  {
    limit,
    after = BEGINNING,
    from = 0,
    status,
  }: {
    limit: number;
    after?: ResultPlace | undefined;
    from?: number | undefined;
    status?: ResultRow['status'] | undefined;
  },
): Promise<{ rows: ResultRow[]; next: ResultPlace | null }> {
  const firstOf = (query: ReturnType<typeof restOfPoint>, most: number) =>
    (status === undefined ? query : query.where('runs.state', '=', status)).limit(most).execute();
  // one run more shows whether there is a next page
  const rest = await firstOf(restOfPoint(db, campaign, after), limit + 1);
  const others = await firstOf(otherPoints(db, campaign, after).offset(from), limit + 1 - rest.length);
  const runs = [...rest, ...others];
  const rows: ResultRow[] = [];
  let characters = 0;
  for await (const { runs: portion, outputs } of withOutputs(db, campaign, runs.slice(0, limit))) {
    for (const run of portion) {
      if (characters >= CHARACTERS_A_PAGE) break;
      const row = new Result(run, run, outputs.get(run.seq));
      rows.push(row);
      characters += lengthOf(row);
    }
    if (characters >= CHARACTERS_A_PAGE) break;
  }
  await assertThere(db, campaign);
  const { position, ordinal, replication } = runs[rows.length - 1] ?? BEGINNING;
  return { rows, next: runs.length > rows.length ? { position, ordinal, replication } : null };
}

/** The place before the first run of a point. */
async function beginningOf(db: Kysely<Tables>, campaign: number, key: string): Promise<ResultPlace> {
  const point = await db
    .selectFrom('points')
    .select('ordinal')
    .where('campaign', '=', campaign)
    .where('key', '=', key)
    .executeTakeFirst();
  return { ...BEGINNING, ordinal: point?.ordinal ?? BEGINNING.ordinal };
}
