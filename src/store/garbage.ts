import { setImmediate as breath } from 'node:timers/promises';
import { type Kysely, sql, SqliteAdapter } from 'kysely';
import type { StoredFile } from './store.ts';
import type { Tables } from './tables.ts';

/** Rows that are deleted at once, so that others get their turn. */
const ROWS_AT_ONCE = 10_000;

/**
 * Deletes all that is known of a campaign, itself last: a deletion that is cut short can be begun again.
 *
 * @param campaign its number
 */
export async function deleteCampaign(db: Kysely<Tables>, campaign: number): Promise<void> {
  const { seqs, ordinals } = await db
    .selectFrom('campaigns')
    .leftJoin('points', 'points.campaign', 'campaigns.number')
    .select((row) => [
      'campaigns.seqs',
      row.fn.coalesce(row.fn.max('points.ordinal'), sql.lit(-1)).as('ordinals'),
    ])
    .where('campaigns.number', '=', campaign)
    .groupBy('campaigns.seqs')
    .executeTakeFirstOrThrow();
  for (let from = 0; from < seqs; from += ROWS_AT_ONCE) {
    for (const table of ['outputs', 'runs'] as const) {
      await db
        .deleteFrom(table)
        .where('campaign', '=', campaign)
        .where('seq', '>=', from)
        .where('seq', '<', from + ROWS_AT_ONCE)
        .execute();
    }
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
  await db.deleteFrom('campaigns').where('number', '=', campaign).execute();
}

/** All files, with their sizes in bytes and when somebody last put them there, ms. */
export async function listFiles(db: Kysely<Tables>): Promise<StoredFile[]> {
  const rows = await db
    .selectFrom('files')
    .select(['hash', 'put_at', sql<number | string>`length(content)`.as('size')])
    .orderBy('hash')
    .execute();
  return rows.map(({ hash, put_at, size }) => ({ hash, size: Number(size), putAt: Number(put_at) }));
}

/** Bytes of the database's file that hold nothing any more. PostgreSQL uses such by itself. */
export async function spareBytes(db: Kysely<Tables>): Promise<number> {
  if (!isSqlite(db)) return 0;
  const { rows } = await sql<{ bytes: number }>`
    select freelist_count * page_size as bytes from pragma_freelist_count, pragma_page_size`.execute(db);
  return rows[0]!.bytes;
}

/** Gives what is spare back to the disk. */
export async function compact(db: Kysely<Tables>): Promise<void> {
  if (isSqlite(db)) await sql`vacuum`.execute(db);
}

function isSqlite(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}
