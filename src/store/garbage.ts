import { setImmediate as breath } from 'node:timers/promises';
import { type Kysely, sql, SqliteAdapter } from 'kysely';
import { CountChanges, countRange } from './counts.ts';
import { lock } from './rows.ts';
import type { StoredFile } from './store.ts';
import type { Tables } from './tables.ts';

/** Number of rows that one step deletes, so that other writers get their turn. */
const ROWS_AT_ONCE = 10_000;

/**
 * Deletes all rows of a campaign, and the campaign's own row last: an interrupted deletion can be repeated.
 *
 * @param campaign the campaign's number
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
    const to = from + ROWS_AT_ONCE;
    const rowsOf = (db: Kysely<Tables>, table: 'outputs' | 'run_logs' | 'failed_attempts' | 'runs') =>
      db.deleteFrom(table).where('campaign', '=', campaign).where('seq', '>=', from).where('seq', '<', to);
    for (const table of ['outputs', 'run_logs', 'failed_attempts'] as const)
      await rowsOf(db, table).execute();
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
  for (const table of ['asks', 'search_events', 'stopped_runs', 'run_counts'] as const)
    await db.deleteFrom(table).where('campaign', '=', campaign).execute();
  await db.deleteFrom('campaigns').where('number', '=', campaign).execute();
}

/** Deletes a file, unless it was put into the store again or a campaign keeps it. */
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

/** The campaigns that keep the file of the outer row. */
function keepers(db: Kysely<Tables>) {
  return db
    .selectFrom('kept_files')
    .select('campaign')
    .whereRef('kept_files.file', '=', sql.ref('files.hash'));
}

/** Lists all files: size in bytes, when the file was last put into the store (ms), and whether a campaign keeps it. */
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

/** Number of unused bytes in the database file. PostgreSQL reuses such space by itself. */
export async function spareBytes(db: Kysely<Tables>): Promise<number> {
  if (!isSqlite(db)) return 0;
  const { rows } = await sql<{ bytes: number }>`
    select freelist_count * page_size as bytes from pragma_freelist_count, pragma_page_size`.execute(db);
  return rows[0]!.bytes;
}

/** Gives unused space back to the disk. */
export async function compact(db: Kysely<Tables>): Promise<void> {
  if (isSqlite(db)) await sql`vacuum`.execute(db);
}

function isSqlite(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}
