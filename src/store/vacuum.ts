import { type Kysely, sql, SqliteAdapter } from 'kysely';
import type { Tables } from './tables.ts';

/** The number of unused bytes in the file of SQLite; 0 for PostgreSQL, which reuses free space itself. */
export async function spareBytes(db: Kysely<Tables>): Promise<number> {
  if (!isSqlite(db)) return 0;
  const { rows } = await sql<{ bytes: number }>`
    select freelist_count * page_size as bytes from pragma_freelist_count, pragma_page_size`.execute(db);
  return rows[0]!.bytes;
}

/** Gives unused space in the file of SQLite back to the disk. For PostgreSQL, this does nothing. */
export async function compact(db: Kysely<Tables>): Promise<void> {
  if (isSqlite(db)) await sql`vacuum`.execute(db);
}

/**
 * Updates PostgreSQL's statistics of points and runs. Without them, PostgreSQL expects that a new campaign has no runs,
 * and reads all runs of the campaign for each point.
 */
export async function analyze(db: Kysely<Tables>): Promise<void> {
  if (!isSqlite(db)) await sql`analyze points, runs`.execute(db);
}

function isSqlite(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}
