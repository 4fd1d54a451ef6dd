import type { Kysely } from 'kysely';
import type { MissingReason } from '../types.ts';
import type { Tables } from '../tables.ts';

/** The maximum number of hashes that one statement looks up. SQLite limits the number of variables. */
const HASHES_AT_ONCE = 1_000;

/**
 * Keeps an output file for a campaign, under the SHA-256 of its content. Returns false if `content` is missing and
 * the store does not have the file.
 *
 * @param hash - the service's name of the file
 */
export async function keepFile(
  db: Kysely<Tables>,
  campaign: number,
  hash: string,
  { sha256, content }: { sha256: string; content?: Uint8Array },
  now: number,
): Promise<boolean> {
  // this also renews the time of a file that is already in the store, because a running `foray gc` may have found the
  // file unused and must not delete it. With the new time the file is too young to be deleted before a campaign refers
  // to it, so no transaction is needed.
  if (content) await putFile(db, sha256, content, now);
  else if (!(await touchFile(db, sha256, now))) return false;
  await db
    .insertInto('kept_files')
    .values({ campaign, hash, file: sha256, lack: null })
    .onConflict((conflict) =>
      conflict.columns(['campaign', 'hash']).doUpdateSet({ file: sha256, lack: null }),
    )
    .execute();
  return true;
}

/** Records why a campaign does not have an output file. If it has the file, nothing changes. */
export async function recordMissingFile(
  db: Kysely<Tables>,
  campaign: number,
  hash: string,
  lack: MissingReason,
): Promise<void> {
  await db
    .insertInto('kept_files')
    .values({ campaign, hash, file: null, lack })
    .onConflict((conflict) =>
      conflict.columns(['campaign', 'hash']).doUpdateSet({ lack }).where('kept_files.file', 'is', null),
    )
    .execute();
}

/** Maps a service's file hashes to the SHA-256 of the copies that this campaign has stored. */
export async function keptFiles(
  db: Kysely<Tables>,
  campaign: number,
  hashes: readonly string[],
): Promise<Map<string, string>> {
  const kept = new Map<string, string>();
  for (let at = 0; at < hashes.length; at += HASHES_AT_ONCE) {
    const rows = await db
      .selectFrom('kept_files')
      .select(['hash', 'file'])
      .where('campaign', '=', campaign)
      .where('hash', 'in', hashes.slice(at, at + HASHES_AT_ONCE))
      .execute();
    for (const { hash, file } of rows) if (file !== null) kept.set(hash, file);
  }
  return kept;
}

/** The number of files that a campaign should keep but does not have, by cause. */
export async function missingFiles(
  db: Kysely<Tables>,
  campaign: number,
): Promise<{ lack: MissingReason; count: number }[]> {
  const rows = await db
    .selectFrom('kept_files')
    .select(['lack', (row) => row.fn.countAll<number | string>().as('count')])
    .where('campaign', '=', campaign)
    .where('lack', 'is not', null)
    .groupBy('lack')
    .orderBy('lack')
    .execute();
  return rows.map(({ lack, count }) => ({ lack: lack!, count: Number(count) }));
}

/** Puts a file into the store. If the file is already there, only its time changes. */
export async function putFile(
  db: Kysely<Tables>,
  hash: string,
  content: Uint8Array,
  now: number,
): Promise<void> {
  await db
    .insertInto('files')
    .values({ hash, content, put_at: now })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ put_at: now }))
    .execute();
}

async function touchFile(db: Kysely<Tables>, hash: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('files')
    .set({ put_at: now })
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
