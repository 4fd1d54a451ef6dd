import path from 'node:path';
import { ForayError } from '../../errors.ts';
import type { Sql } from '../database/database.ts';
import { FOLDER, settingIn } from '../database/settings-table.ts';
import { EMPTY, namesIn } from './content.ts';
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
 * its `--files`, or with its first bucket before the files are moved there, or with another bucket that lacks the files
 * of the earlier bucket. It would then notice the missing files only when somebody asks for them. The check knows only
 * the files on the disk of the service, so it finds nothing if there are none.
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
  // A move copies all files, so one of them shows whether there was a move. The folder of copies may also have files
  // that were never in the bucket, such as those of failed runs. Every bucket has the empty file.
  const [folder, most] = known === undefined ? [path.join(dataDir, 'files'), 1] : [copiesDir, MOST_COPIES];
  const earlier = namesIn(folder)
    .filter((name) => name !== EMPTY)
    .slice(-most);
  if (earlier.length === 0) return;
  for (const name of earlier) if (await store.has(name)) return;
  throw known === undefined
    ? new ForayError(
        'STORE_UNUSABLE',
        `The data folder ${dataDir} has files that the bucket does not have.`,
        { hint: 'Move them first with "foray service move", and the same --files.' },
      )
    : new ForayError(
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
