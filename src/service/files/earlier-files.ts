import path from 'node:path';
import { ForayError } from '../../errors.ts';
import type { Sql } from '../database/database.ts';
import { changeSetting, FOLDER, settingIn } from '../database/settings-table.ts';
import { namesIn } from './content.ts';
import type { ContentStore } from './content-store.ts';

/** The places where a service on SQLite keeps its files. */
interface Places {
  dataDir: string;
  /** The address of the bucket; undefined if the data folder has the files. */
  bucket: string | undefined;
  store: Pick<ContentStore, 'has'>;
}

/**
 * Checks that the place of the files has the files of earlier runs, and remembers a bucket. Otherwise a service that is
 * once started without its `--files`, or with a bucket before a move, would miss these files only when somebody asks
 * for them.
 *
 * @throws ForayError STORE_UNUSABLE
 */
export async function checkEarlierFiles(sql: Sql, { dataDir, bucket, store }: Places): Promise<void> {
  const known = await settingIn(sql, FOLDER);
  if (bucket === undefined) return refuseLostBucket(known);
  // after a move, the bucket has all files of the folder, so one file shows whether there was a move
  const earlier = known === undefined ? namesIn(path.join(dataDir, 'files')).at(-1) : undefined;
  if (earlier !== undefined && !(await store.has(earlier))) {
    throw new ForayError(
      'STORE_UNUSABLE',
      `The data folder ${dataDir} has files that the bucket does not have.`,
      {
        hint: 'Move them first with "foray service move", and the same --files.',
      },
    );
  }
  await changeSetting(sql, FOLDER, bucket);
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
    hint: 'Name it with --files.',
  });
}
