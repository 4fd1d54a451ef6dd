import { setImmediate as breath } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { ALL_DELETED, hide } from '../deleted.ts';
import { lock } from '../rows.ts';
import { CountChanges, countRange } from '../runs/counts.ts';
import type { Tables } from '../tables.ts';

/** The maximum number of runs, points or files whose rows one step deletes. Others can write between two steps. */
const ROWS_AT_ONCE = 10_000;
/** One step deletes outputs or logs of at most this many bytes, unless they are of one run. */
const BYTES_AT_ONCE = 16_000_000;
/** The maximum number of rows whose sizes a step reads. */
const SIZES_AT_ONCE = 1_000;

/**
 * Deletes a campaign with its points, runs and results, in many small steps. Nobody sees the campaign from the first
 * step on, and whoever reads it gets UNKNOWN_CAMPAIGN. The next deletion, or `compact`, completes one that was
 * interrupted.
 *
 * @param campaign - the number of the campaign in the tables
 */
export async function deleteCampaign(db: Kysely<Tables>, campaign: number): Promise<void> {
  await hide(db, campaign);
  await deleteHidden(db);
}

/** Deletes the rows of all campaigns that are hidden, because a deletion goes on or was interrupted. */
export async function deleteHidden(db: Kysely<Tables>): Promise<void> {
  const hidden = await db.selectFrom('campaigns').select('number').where('id', 'like', ALL_DELETED).execute();
  for (const { number } of hidden) await deleteRows(db, number);
}

/** Deletes all rows of a campaign, the row of the campaign itself last. */
async function deleteRows(db: Kysely<Tables>, campaign: number): Promise<void> {
  const found = await db
    .selectFrom('campaigns')
    .leftJoin('points', 'points.campaign', 'campaigns.number')
    .select((row) => [
      'campaigns.seqs',
      row.fn.coalesce(row.fn.max('points.ordinal'), sql.lit(-1)).as('ordinals'),
    ])
    .where('campaigns.number', '=', campaign)
    .groupBy('campaigns.seqs')
    .executeTakeFirst();
  // somebody else has completed the deletion
  if (!found) return;
  const { seqs, ordinals } = found;
  await deleteLarge(db, campaign, 'outputs', sql`length(outputs) + coalesce(length(packed), 0)`);
  await deleteLarge(db, campaign, 'run_logs', sql`length(lines)`);
  for (let from = 0; from < seqs; from += ROWS_AT_ONCE) {
    const to = from + ROWS_AT_ONCE;
    const rowsOf = (db: Kysely<Tables>, table: 'failed_attempts' | 'runs') =>
      db.deleteFrom(table).where('campaign', '=', campaign).where('seq', '>=', from).where('seq', '<', to);
    await rowsOf(db, 'failed_attempts').execute();
    await db.transaction().execute(async (transaction) => {
      await lock(transaction, campaign);
      const changes = new CountChanges();
      for (const { as, runs } of await countRange(transaction, campaign, { from, to }))
        changes.add(as, -runs);
      await rowsOf(transaction, 'runs').execute();
      await changes.save(transaction, campaign);
    });
    await breath();
  }
  for (let from = 0; from <= ordinals; from += ROWS_AT_ONCE) {
    await db
      .deleteFrom('points')
      .where('campaign', '=', campaign)
      .where('ordinal', '>=', from)
      .where('ordinal', '<', from + ROWS_AT_ONCE)
      .execute();
    await breath();
  }
  let deleted: bigint;
  do {
    const { numDeletedRows } = await db
      .deleteFrom('kept_files')
      .where('campaign', '=', campaign)
      .where('hash', 'in', (row) =>
        row.selectFrom('kept_files').select('hash').where('campaign', '=', campaign).limit(ROWS_AT_ONCE),
      )
      .executeTakeFirstOrThrow();
    deleted = numDeletedRows;
    await breath();
  } while (deleted > 0n);
  for (const table of ['asks', 'search_events', 'stopped_runs', 'run_counts', 'pictures'] as const)
    await db.deleteFrom(table).where('campaign', '=', campaign).execute();
  await db.deleteFrom('campaigns').where('number', '=', campaign).execute();
}

/** Deletes the rows of a table whose rows may be large. @param size - the size of a row, about in bytes */
async function deleteLarge(
  db: Kysely<Tables>,
  campaign: number,
  table: 'outputs' | 'run_logs',
  size: RawBuilder<unknown>,
): Promise<void> {
  for (;;) {
    const rows = await db
      .selectFrom(table)
      .select(['seq', size.$castTo<number>().as('size')])
      .where('campaign', '=', campaign)
      .orderBy('seq')
      .limit(SIZES_AT_ONCE)
      .execute();
    if (rows.length === 0) return;
    let count = 0;
    for (let bytes = 0; count < rows.length; count += 1) {
      bytes += Number(rows[count]!.size);
      if (count > 0 && bytes > BYTES_AT_ONCE) break;
    }
    const { seq } = rows[count - 1]!;
    await db.deleteFrom(table).where('campaign', '=', campaign).where('seq', '<=', seq).execute();
    await breath();
  }
}
