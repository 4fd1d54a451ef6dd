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
    for (const table of ['outputs', 'run_logs', 'failed_attempts', 'runs'] as const) {
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
  for (let deleted = 1n; deleted > 0n;) {
    const { numDeletedRows } = await db
      .deleteFrom('kept_files')
      .where('campaign', '=', campaign)
      .where('hash', 'in', (row) =>
        row.selectFrom('kept_files').select('hash').where('campaign', '=', campaign).limit(ROWS_AT_ONCE),
      )
      .executeTakeFirstOrThrow();
    deleted = numDeletedRows;
    await breath();
  }
  for (const table of ['asks', 'search_events', 'stopped_runs'] as const)
    await db.deleteFrom(table).where('campaign', '=', campaign).execute();
  await db.deleteFrom('campaigns').where('number', '=', campaign).execute();
}

/** Deletes a file, unless somebody has put it there since or keeps it. */
export async function deleteFile(
  db: Kysely<Tables>,
  { hash, putAt }: Pick<StoredFile, 'hash' | 'putAt'>,
): Promise<void> {
  await db
    .deleteFrom('files')
    .where('hash', '=', hash)
    .where('put_at', '=', putAt)
    .where((file) => file.not(file.exists(keepers(db))))
    .execute();
}

/** Who keeps the file of a row, if anybody does. */
function keepers(db: Kysely<Tables>) {
  return db
    .selectFrom('kept_files')
    .select('campaign')
    .whereRef('kept_files.file', '=', sql.ref('files.hash'));
}

/** All files, with their sizes in bytes, when somebody last put them there, ms, and whether a campaign keeps them. */
export async function listFiles(db: Kysely<Tables>): Promise<StoredFile[]> {
  const rows = await db
    .selectFrom('files')
    .select(['hash', 'put_at', sql<number | string>`length(content)`.as('size')])
    .select((file) =>
      file
        .case()
        .when(file.exists(keepers(db)))
        .then(1)
        .else(0)
        .end()
        .as('kept'),
    )
    .orderBy('hash')
    .execute();
  return rows.map(({ hash, put_at, size, kept }) => ({
    hash,
    size: Number(size),
    putAt: Number(put_at),
    isKept: Number(kept) === 1,
  }));
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
