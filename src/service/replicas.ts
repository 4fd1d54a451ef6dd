import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ForayError, messageOf } from '../errors.ts';
import { removeFolderSync } from '../system/remove-folder.ts';
import type { Sql } from './database/database.ts';
import type { ServiceDatabase } from './database/open.ts';
import {
  storeSetting,
  FOLDER,
  folderMark,
  MOVE,
  replaceSetting,
  settingIn,
  settingOrNew,
} from './database/settings-table.ts';
import { refuseLostBucket } from './files/earlier-files.ts';
import { type OwnFolder, takeFolder } from './files/own-folder.ts';
import type { Access } from './access.ts';
import { versionFilesIn } from './models/version-files.ts';
import { Replica, type ReplicaParts } from './runs/replica.ts';

/** The setting with the fingerprint of the keys that the services accept. */
const KEYS = 'keys';
/**
 * The largest difference between the clocks of a service and of its database, in milliseconds. The clocks of two
 * services then differ by at most twice this value. An executor reports every 10 seconds, and is listed as gone after 30
 * seconds without a report (fleet/executors.ts). With a larger difference, a replica could list a connected executor as
 * gone.
 */
const MOST_SKEW = 10_000;
const TIME = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS time';

export interface ReplicaPlace {
  dataDir: string;
  /** The address of the bucket for the files; undefined if the data folder has the files. */
  bucket: string | undefined;
  now: () => number;
}

export interface OwnFolders {
  /** The name by which other services know that the folders are in use. */
  name: string;
  unfinishedDir: string;
  /** Holds copies of files if the files are in a bucket. A later service may use the folder. */
  cacheDir: string | undefined;
  versions: { cache: string; unfinished: string };
}

/** The tasks of a service that is a replica: one of several services on one database. */
export class Replicas {
  readonly folders: OwnFolders;
  readonly #database: Required<ServiceDatabase>;
  readonly #replicasDir: string;
  /** The address of the bucket for the files of all replicas; undefined if their data folder has the files. */
  readonly #bucket: string | undefined;
  readonly #cache: OwnFolder | undefined;
  #fingerprint: string | undefined;

  private constructor(database: Required<ServiceDatabase>, dataDir: string, bucket: string | undefined) {
    this.#database = database;
    this.#bucket = bucket;
    this.#cache = bucket === undefined ? undefined : takeCache(path.join(dataDir, 'caches'));
    this.#replicasDir = path.join(dataDir, 'replicas');
    const name = randomUUID();
    const own = path.join(this.#replicasDir, name);
    this.folders = {
      name,
      unfinishedDir: path.join(own, 'unfinished'),
      cacheDir: this.#cache && path.join(this.#cache.folder, 'files'),
      versions: { cache: path.join(own, 'versions'), unfinished: path.join(own, 'code') },
    };
  }

  /**
   * Checks that the clock of this service agrees with the clock of the database, and that no move into the database is
   * incomplete. Without a bucket, it also checks that the other replicas use the same data folder. {@link agree} checks
   * the bucket. If the replicas have used a bucket, a service without a bucket is refused, even when all replicas are
   * gone: the data folder has only copies of some files.
   *
   * @throws ForayError STORE_UNUSABLE
   */
  static async open(
    database: Required<ServiceDatabase>,
    { dataDir, bucket, now }: ReplicaPlace,
  ): Promise<Replicas> {
    await compareClocks(database.sql, now);
    if ((await settingIn(database.sql, MOVE)) !== undefined) {
      throw new ForayError('STORE_UNUSABLE', 'A move into this database has not ended.', {
        hint: 'Repeat foray service move: it continues where it stopped.',
      });
    }
    const place = bucket ?? folderId(dataDir);
    const known = await settingOrNew(database.sql, FOLDER, () => place);
    if (known === place || bucket !== undefined) return new Replicas(database, dataDir, bucket);
    refuseLostBucket(known);
    throw new ForayError(
      'STORE_UNUSABLE',
      `The data folder ${dataDir} does not belong to the other services of this database.`,
      { hint: 'Services of one database share their data folder: name it with --data.' },
    );
  }

  /** Makes this service a replica, and removes the folders of replicas that are gone. */
  async join(parts: Omit<ReplicaParts, 'peers' | 'sql' | 'folder'>): Promise<Replica> {
    const { peers, sql } = this.#database;
    const replica = await Replica.join({ ...parts, peers, sql, folder: this.folders.name });
    const folders = existsSync(this.#replicasDir) ? readdirSync(this.#replicasDir) : [];
    for (const name of await peers.absent(folders)) this.#removeFoldersOf(name);
    return replica;
  }

  /**
   * Checks that this replica uses the same bucket, if any, and accepts the same keys as the others. The first replica
   * decides on these settings. When all replicas are gone, the next replica may have another bucket or other keys.
   *
   * @throws ForayError STORE_UNUSABLE, KEYS_INVALID
   */
  async agree(access: Access): Promise<void> {
    const fingerprint = access.fingerprint();
    const { sql, peers } = this.#database;
    await peers.agree(async () => {
      if (this.#bucket !== undefined) await storeSetting(sql, FOLDER, this.#bucket);
      await storeSetting(sql, KEYS, fingerprint);
    });
    if (this.#bucket !== undefined && (await settingIn(sql, FOLDER)) !== this.#bucket) {
      throw new ForayError(
        'STORE_UNUSABLE',
        'The other services of this database keep their files elsewhere.',
        {
          hint: 'Give all of them the same --files. To change it, stop all of them, move the files, and start them again.',
        },
      );
    }
    this.#fingerprint = fingerprint;
    await this.#expectKeys(fingerprint);
  }

  /**
   * Notes the keys of this replica when its start has made a key. Another replica may have made another key meanwhile,
   * because each replica makes its key after it has agreed with the others.
   *
   * @throws ForayError KEYS_INVALID
   */
  async settleKeys(access: Access): Promise<void> {
    const fingerprint = access.fingerprint();
    if (fingerprint === this.#fingerprint) return;
    await replaceSetting(this.#database.sql, KEYS, this.#fingerprint!, fingerprint);
    await this.#expectKeys(fingerprint);
    this.#fingerprint = fingerprint;
  }

  /** Notes that the keys have changed, for replicas that start later. */
  async noteKeys(access: Access): Promise<void> {
    const fingerprint = access.fingerprint();
    if (fingerprint === this.#fingerprint) return;
    await storeSetting(this.#database.sql, KEYS, fingerprint);
    this.#fingerprint = fingerprint;
  }

  /** Removes the folders of this service, except its cache, which another service may use from now on. */
  removeFolders(): void {
    this.#removeFoldersOf(this.folders.name);
    this.#cache?.release();
  }

  /** @throws ForayError KEYS_INVALID if the noted keys are others */
  async #expectKeys(fingerprint: string): Promise<void> {
    if ((await settingIn(this.#database.sql, KEYS)) === fingerprint) return;
    throw new ForayError('KEYS_INVALID', 'The other services of this database accept other keys.', {
      hint: 'Give all of them the same file with --keys, byte for byte, and the same --api-key, if any.',
    });
  }

  #removeFoldersOf(name: string): void {
    removeFolderSync(path.join(this.#replicasDir, name));
  }
}

/** @throws ForayError STORE_UNUSABLE */
function takeCache(base: string): OwnFolder {
  try {
    return takeFolder(base);
  } catch (error) {
    throw new ForayError('STORE_UNUSABLE', `The folder ${base} cannot be used: ${messageOf(error)}.`);
  }
}

/**
 * Replicas judge by their clocks whether addresses of files are valid, and whether executors are connected. So the
 * clock of each replica must agree with the clock of the database.
 *
 * @throws ForayError STORE_UNUSABLE
 */
async function compareClocks(sql: Sql, now: () => number): Promise<void> {
  const before = now();
  const [row] = await sql.all<{ time: string }>(TIME);
  const ahead = Math.round((before + now()) / 2 - Number(row!.time));
  if (Math.abs(ahead) <= MOST_SKEW) return;
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  throw new ForayError(
    'STORE_UNUSABLE',
    `The clock of this machine is ${seconds} seconds ${ahead > 0 ? 'ahead of' : 'behind'} that of the database.`,
    { hint: 'Set the clock of the machine that is wrong: services of one database need the same time.' },
  );
}

/** The identity of a data folder. An identity is made if there is none. @throws ForayError STORE_UNUSABLE */
function folderId(dataDir: string): string {
  const mark = folderMark(dataDir);
  try {
    mkdirSync(versionFilesIn(dataDir), { recursive: true, mode: 0o700 });
    if (!existsSync(mark)) writeFileSync(mark, randomUUID(), { flag: 'wx', flush: true });
  } catch (error) {
    // another replica may just have made the file
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new ForayError(
        'STORE_UNUSABLE',
        `The data folder ${dataDir} cannot be used: ${messageOf(error)}.`,
      );
    }
  }
  return readFileSync(mark, 'utf8').trim();
}

/** Opens a database in PostgreSQL. Its code is loaded only when it is needed, because most services do not need it. */
export async function openShared(address: string): Promise<Required<ServiceDatabase>> {
  const { openPostgres } = await import('./database/postgres.ts');
  return openPostgres(address);
}
