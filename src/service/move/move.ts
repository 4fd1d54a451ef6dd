import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ForayError, messageOf } from '../../errors.ts';
import type { Database } from '../database/database.ts';
import { migrations } from '../database/migrations.ts';
import { databaseFile, lockFolder, countMigrations, type ServiceDatabase } from '../database/open.ts';
import { FOLDER, folderMark, MOVE, settingIn } from '../database/settings-table.ts';
import { SqliteDatabase } from '../database/sqlite.ts';
import { ContentFiles, hashesInIfThere } from '../files/content.ts';
import { FileCache } from '../files/file-cache.ts';
import { type S3Place, VERSIONS } from '../files/open.ts';
import { versionFilesIn } from '../models/version-files.ts';
import { Problems } from '../problems.ts';
import { takeBackRuns } from '../runs/unheld-runs.ts';
import { RunRepository } from '../runs/repository.ts';
import { type FilesToMove, type MovedFiles, moveFiles } from './files.ts';
import { countOf, Rows } from './rows.ts';

export interface MoveOptions {
  /** The data folder of a service that is not running. */
  dataDir: string;
  /** The address of a database in PostgreSQL. @default runs and versions are not moved */
  database?: string | undefined;
  /** A bucket. @default files are not moved */
  s3?: S3Place | undefined;
  /** Called with the progress of a part, in rows or files. */
  onProgress?: (part: string, done: number, total: number) => void;
  /** Called with a line when a problem of the bucket begins or ends, such as a wrong clock. */
  onProblem?: (line: string) => void;
}

/** The data that are in the new place now, also from earlier moves. */
export interface Moved {
  /**
   * The numbers of runs and versions in the database; undefined if the database was not moved. `lacking`: the number of
   * runs in the folder that the database lacks, because the old service ran again after the move.
   */
  rows?: { runs: number; versions: number; lacking: number };
  /** The files of clients and runs; undefined if files were not moved. */
  files?: MovedFiles;
  /** The files of model versions; undefined if files were not moved. */
  code?: MovedFiles;
}

/** The value of the setting MOVE while rows are copied. No service starts on a database with the setting MOVE. */
const COPYING = 'copying';
/** The value of the setting MOVE when all rows are copied. */
const COPIED = 'copied';

/**
 * Copies the data of a service from its data folder to a database in PostgreSQL, to a bucket, or both. An interrupted
 * move continues when it is repeated. The data in the folder do not change.
 *
 * @throws ForayError USAGE, STORE_MISSING, STORE_UNUSABLE, STORE_NEWER, STORE_UNREACHABLE, FILES_UNREACHABLE,
 * FILES_UNUSABLE
 */
export async function moveService(options: MoveOptions): Promise<Moved> {
  const { dataDir, database, s3 } = options;
  if (database === undefined && s3 === undefined) {
    throw new ForayError('USAGE', 'The command names no new place.', {
      hint: 'Name the new place of the runs with --database, of the files with --files, or both.',
    });
  }
  if (existsSync(databaseFile(dataDir))) return moveFolder(options);
  const mark = folderMark(dataDir);
  if (existsSync(mark)) return moveSharedFolder(options, readFileSync(mark, 'utf8').trim());
  throw new ForayError('STORE_MISSING', `There is no data of a model service in ${dataDir}.`, {
    hint: 'Name the data folder of the service with --data.',
  });
}

async function moveFolder(options: MoveOptions): Promise<Moved> {
  const { dataDir, database } = options;
  const lock = lockFolder(dataDir);
  try {
    const source = openSource(databaseFile(dataDir));
    try {
      if (database === undefined) return await moveAllFiles(options);
      return await withUnusedDatabase(database, async (target) => {
        const from = new SqliteDatabase(source);
        const isUnfinished = await assignTarget(from, target);
        // a damaged file is found before the rows of runs and versions are written
        const files = await moveAllFiles(options);
        if (isUnfinished) await moveRows(from, target, options);
        return { ...files, rows: await countRows(from, target.sql) };
      });
    } finally {
      source.close();
    }
  } finally {
    lock.release();
  }
}

/** Moves the files of services that have their database in PostgreSQL already. */
function moveSharedFolder(options: MoveOptions, id: string): Promise<Moved> {
  const { dataDir, database } = options;
  if (database === undefined) {
    throw new ForayError('USAGE', `The services of ${dataDir} have their database in PostgreSQL.`, {
      hint: 'Name it with --database: the move must know that none of these services runs.',
    });
  }
  return withUnusedDatabase(database, async ({ sql }) => {
    if ((await settingIn(sql, FOLDER)) === id) return moveAllFiles(options);
    throw new ForayError('STORE_UNUSABLE', `The data folder ${dataDir} does not belong to this database.`, {
      hint: 'Name the folder that its services share with --data.',
    });
  });
}

/**
 * Calls `act` with a database in PostgreSQL that no service uses, and prevents services from starting on it meanwhile.
 *
 * @throws ForayError STORE_UNUSABLE, STORE_NEWER, STORE_UNREACHABLE
 */
async function withUnusedDatabase<T>(
  address: string,
  act: (database: Required<ServiceDatabase>) => Promise<T>,
): Promise<T> {
  const { openPostgres } = await import('../database/postgres.ts');
  const database = await openPostgres(address);
  try {
    const done: T[] = [];
    if (await database.peers.alone(async () => void done.push(await act(database)))) return done[0]!;
    throw new ForayError('STORE_UNUSABLE', 'Services of this database run, or another move into it runs.', {
      hint: 'Stop all of them, then repeat the command.',
    });
  } finally {
    await database.close();
  }
}

function openSource(file: string): DatabaseSync {
  let source: DatabaseSync | undefined;
  try {
    source = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    if (countMigrations(source, file) === migrations.length) return source;
    throw new ForayError('STORE_UNUSABLE', `The database ${file} was written by an older foray.`, {
      hint: 'Start this foray service on it once, to bring it up to date. Then stop the service.',
    });
  } catch (error) {
    source?.close();
    if (error instanceof ForayError) throw error;
    throw new ForayError('STORE_UNUSABLE', `The database ${file} cannot be read: ${messageOf(error)}.`, {
      hint: 'Restore it from a copy.',
    });
  }
}

/**
 * Assigns the target to this service; returns whether rows must still be moved.
 *
 * @throws ForayError STORE_UNUSABLE if the target belongs to another service, or no service has used the data folder
 */
async function assignTarget(from: Database, { sql: to }: Required<ServiceDatabase>): Promise<boolean> {
  const settings = await from.all<{ name: string; value: string }>('SELECT name, value FROM settings');
  const identity = settings.find(({ name }) => name === 'identity')?.value;
  const known = await settingIn(to, 'identity');
  if (known !== undefined && known === identity) return (await settingIn(to, MOVE)) !== undefined;
  const used = known !== undefined || (await countOf(to, 'models')) > 0 || (await countOf(to, 'runs')) > 0;
  if (used || identity === undefined) {
    throw new ForayError(
      'STORE_UNUSABLE',
      used ? 'The database belongs to another model service.' : 'No service has used the data folder yet.',
      { hint: used ? 'Make an empty one, and name it with --database.' : 'There is nothing to move.' },
    );
  }
  await to.atomically(async (sql) => {
    for (const { name, value } of [...settings, { name: MOVE, value: COPYING }])
      await sql.all('INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING', name, value);
  });
  return true;
}

async function moveRows(
  from: Database,
  { sql: to }: Required<ServiceDatabase>,
  { onProgress }: MoveOptions,
): Promise<void> {
  const rows = new Rows(from, to);
  const total = await rows.count();
  const counter = (part: string) => {
    let done = 0;
    return (more: number): void => onProgress?.(part, (done += more), total);
  };
  if ((await settingIn(to, MOVE)) === COPYING) {
    await rows.copy(counter('rows copied'));
    const difference = await rows.difference(counter('rows compared'));
    if (difference !== undefined) {
      throw new ForayError('STORE_UNUSABLE', `The copy differs from the original: ${difference}.`, {
        hint: 'Make an empty database, name it with --database, and repeat the command.',
      });
    }
    await to.all('UPDATE settings SET value = ? WHERE name = ?', COPIED, MOVE);
  }
  // as at a start of the service: runs that executed when the service stopped wait again
  const runs = new RunRepository(to, Date.now);
  // like a service, which has a holder
  const holder = randomUUID();
  await takeBackRuns(runs, holder);
  await runs.holders.close(holder, { isLost: false });
  await to.all('DELETE FROM settings WHERE name = ?', MOVE);
}

async function countRows(from: Database, to: Database): Promise<NonNullable<Moved['rows']>> {
  return {
    runs: await countOf(to, 'runs'),
    versions: await countOf(to, 'versions'),
    lacking: await new Rows(from, to).lackingRuns(),
  };
}

async function moveAllFiles({ dataDir, s3, onProgress, onProblem }: MoveOptions): Promise<Moved> {
  if (!s3) return {};
  const { S3Store } = await import('../files/s3-store.ts');
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'foray-move-'));
  try {
    const cache = new FileCache(new ContentFiles(scratch));
    cache.prepare();
    const now = Date.now;
    const parts = { ...s3, cache, now, problems: new Problems(now, (line) => onProblem?.(line)) };
    const store = new S3Store(parts);
    await store.check();
    const move = async (part: string, dir: string, target: FilesToMove['target']): Promise<MovedFiles> => {
      const names = hashesInIfThere(dir);
      let done = 0;
      return moveFiles({ dir, files: new ContentFiles(dir), target }, names, () =>
        onProgress?.(part, (done += 1), names.length),
      );
    };
    const files = await move('files', path.join(dataDir, 'files'), store);
    const versions = new S3Store({ ...parts, prefix: VERSIONS });
    const code = await move('files of versions', path.join(versionFilesIn(dataDir), 'content'), versions);
    return { files, code };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
