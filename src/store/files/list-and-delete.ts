import { type Kysely, sql } from 'kysely';
import type { StoredFile } from '../types.ts';
import type { Tables } from '../tables.ts';

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

/**
 * Lists all files with their size in bytes, the time when they were last put into the store (ms since the epoch), and
 * whether a campaign keeps them.
 */
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
