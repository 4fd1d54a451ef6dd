import path from 'node:path';
import { ForayError } from '../../errors.ts';
import type { Sql } from '../database/database.ts';
import { FOLDER, settingIn } from '../database/settings-table.ts';
import { EMPTY, namesIn } from './content.ts';
import type { ContentStore } from './content-store.ts';

/** The places where a service on SQLite keeps its files. */
interface Places {
  dataDir: string;
  /** The address of the bucket; undefined if the data folder has the files. */
  bucket: string | undefined;
  store: Pick<ContentStore, 'has'>;
}

/**
 * Checks that the place of the files has the files of earlier runs. Without this check, a service could start without
 * its `--files`, or with its first bucket before the files are moved there. It would then notice the missing files only
 * when somebody asks for them. The files of an earlier bucket are not checked.
 *
 * @throws ForayError STORE_UNUSABLE
 */
export async function checkEarlierFiles(sql: Sql, { dataDir, bucket, store }: Places): Promise<void> {
  const known = await settingIn(sql, FOLDER);
  if (bucket === undefined) return refuseLostBucket(known);
  if (known !== undefined) return;
  // a move copies all files, so one of them shows whether there was a move; every bucket has the empty file
  const earlier = namesIn(path.join(dataDir, 'files')).findLast((name) => name !== EMPTY);
  if (earlier !== undefined && !(await store.has(earlier))) {
    throw new ForayError(
      'STORE_UNUSABLE',
      `The data folder ${dataDir} has files that the bucket does not have.`,
      {
        hint: 'Move them first with "foray service move", and the same --files.',
      },
    );
  }
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
