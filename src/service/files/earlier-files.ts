import path from 'node:path';
import { ForayError } from '../../errors.ts';
import type { Sql } from '../database/database.ts';
import { FOLDER, settingIn } from '../database/settings-table.ts';
import { EMPTY, hashesInIfThere } from './content.ts';
import type { ContentStore } from './content-store.ts';

/** The largest number of copies of files for which another bucket is asked. */
const MOST_COPIES = 100;

/** The places where a service on SQLite keeps its files. */
interface Places {
  dataDir: string;
  /** The address of the bucket; undefined if the data folder has the files. */
  bucket: string | undefined;
  /** The folder with copies of files of the bucket. */
  copiesDir: string;
  store: Pick<ContentStore, 'has'>;
}

/**
 * Checks that the place of the files has the files of earlier runs. Without this check, a service could start without
 * its `--files`, with its first bucket before the files are moved there, or with another bucket that lacks the files of
 * the earlier bucket. It would then notice the missing files only when somebody asks for them. The check knows only the
 * files on the disk of the service, so it finds nothing if there are none.
 *
 * @throws ForayError STORE_UNUSABLE
 */
export async function checkEarlierFiles(
  sql: Sql,
  { dataDir, bucket, copiesDir, store }: Places,
): Promise<void> {
  const known = await settingIn(sql, FOLDER);
  if (bucket === undefined) return refuseLostBucket(known);
  if (known === bucket) return;
  const isFirstBucket = known === undefined;
  const folder = isFirstBucket ? path.join(dataDir, 'files') : copiesDir;
  // A move to the first bucket copies all files, so one file shows whether there was a move. But some files in the
  // folder of copies, such as those of failed runs, were never in a bucket, so the check asks for several.
  const most = isFirstBucket ? 1 : MOST_COPIES;
  const earlier = hashesInIfThere(folder)
    // every bucket has the empty file
    .filter((hash) => hash !== EMPTY)
    .slice(-most);
  if (earlier.length === 0) return;
  for (const hash of earlier) if (await store.has(hash)) return;
  if (isFirstBucket) {
    throw new ForayError(
      'STORE_UNUSABLE',
      `The data folder ${dataDir} has files that the bucket does not have.`,
      { hint: 'Move them first with "foray service move", and the same --files.' },
    );
  }
  throw new ForayError(
    'STORE_UNUSABLE',
    `The bucket ${bucket} does not have the files of the bucket ${known}.`,
    { hint: 'Copy all files to it first, or name the earlier bucket with --files.' },
  );
}

/**
 * Refuses a start without the bucket that has the files of a service.
 *
 * @param known - the text of the setting FOLDER
 * @throws ForayError STORE_UNUSABLE
 */
export function refuseLostBucket(known: string | undefined): void {
  if (known === undefined || !/^https?:/.test(known)) return;
  throw new ForayError('STORE_UNUSABLE', `The service keeps its files in the bucket ${known}.`, {
    hint: 'Start "foray service" with this bucket (--files).',
  });
}
