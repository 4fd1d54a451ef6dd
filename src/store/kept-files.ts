import type { Kysely } from 'kysely';
import type { FileLack } from './store.ts';
import type { Tables } from './tables.ts';

/** Hashes that are looked up by one statement: below SQLite's limit of variables. */
const HASHES_AT_ONCE = 1_000;

/** Keeps a file of an output; false when its content is not given and not there. */
export async function keepFile(
  db: Kysely<Tables>,
  campaign: number,
  hash: string,
  { sha256, content }: { sha256: string; content?: Uint8Array },
  now: number,
): Promise<boolean> {
  // Also of what is there: who has seen it as garbage must not delete it now. From here on it is young, so nobody deletes it
  // before it is known whose it is, and no transaction is needed.
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

export async function lackFile(
  db: Kysely<Tables>,
  campaign: number,
  hash: string,
  lack: FileLack,
): Promise<void> {
  await db
    .insertInto('kept_files')
    .values({ campaign, hash, file: null, lack })
    .onConflict((conflict) =>
      conflict.columns(['campaign', 'hash']).doUpdateSet({ lack }).where('kept_files.file', 'is', null),
    )
    .execute();
}

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

export async function lackingFiles(
  db: Kysely<Tables>,
  campaign: number,
): Promise<{ lack: FileLack; count: number }[]> {
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

/** Puts a file into the store; of one that is there, only when that was. */
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
