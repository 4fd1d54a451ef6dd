import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ForayError, messageOf } from '../../errors.ts';
import { databaseFile } from '../database/open.ts';
import { SqliteDatabase } from '../database/sqlite.ts';
import { Deferred } from '../deferred.ts';
import { VersionFiles, versionFilesIn } from '../models/version-files.ts';
import { type VersionRow, VersionTable, whyRetired } from '../models/version-table.ts';
import type { Triable } from './trial.ts';

export interface WantedVersion {
  /** The data folder of the service that keeps the version. */
  dataDir: string;
  model: string;
  number: number;
  /** The model's current folder, whose packages and virtual environments the version uses. */
  installedIn?: string | undefined;
}

/**
 * Makes a temporary folder with a kept version, and removes it after use. The service need not run. A running service
 * is not disturbed.
 *
 * @throws ForayError STORE_MISSING, STORE_UNUSABLE; UNKNOWN_MODEL; VERSION_RETIRED when its files are not kept;
 *   MODEL_UNREADABLE when they cannot be read
 */
export async function withKeptVersion<T>(
  wanted: WantedVersion,
  use: (version: Triable) => Promise<T>,
): Promise<T> {
  const { dataDir, model, number, installedIn } = wanted;
  const cache = mkdtempSync(path.join(os.tmpdir(), 'foray-version-'));
  try {
    const files = new VersionFiles(versionFilesIn(dataDir), { cache });
    const { manifest, prunedAt } = await readRow(wanted, files);
    const reason = whyRetired({ manifest, prunedAt });
    if (reason !== undefined || !manifest) {
      throw new ForayError('VERSION_RETIRED', `Version ${number} of "${model}" cannot be run: ${reason}.`);
    }
    return await use({
      code: await files.folders.ready(manifest, installedIn),
      declaration: manifest.declaration,
      warnings: [],
      outside: [],
    });
  } catch (error) {
    if (error instanceof Deferred) throw new ForayError('MODEL_UNREADABLE', `${error.message}.`);
    throw error;
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

async function readRow({ dataDir, model, number }: WantedVersion, files: VersionFiles): Promise<VersionRow> {
  const file = databaseFile(dataDir);
  if (!existsSync(file)) {
    throw new ForayError('STORE_MISSING', `There is no data of a model service in ${dataDir}.`, {
      hint: 'Name the data folder of the service with --data.',
    });
  }
  let row;
  try {
    const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    row = await new VersionTable(new SqliteDatabase(db), files, Date.now).version(model, number);
    db.close();
  } catch (error) {
    throw new ForayError('STORE_UNUSABLE', `The database ${file} cannot be read: ${messageOf(error)}.`);
  }
  if (row) return row;
  throw new ForayError(
    'UNKNOWN_MODEL',
    `The service of ${dataDir} has no version ${number} of a model "${model}".`,
  );
}
