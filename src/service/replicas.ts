import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ForayError, messageOf } from '../errors.ts';
import type { ServiceDatabase } from './database/open.ts';
import { settingOf } from './database/settings.ts';
import type { Access } from './keys/access.ts';
import { versionFilesIn } from './models/version-files.ts';
import { Replica, type ReplicaParts } from './runs/replica.ts';

const KEYS = 'keys';
const statements = {
  agree: 'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING',
  set: `INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  value: 'SELECT value FROM settings WHERE name = ?',
};

/** The folders of a service that it shares with no other. */
export interface OwnFolders {
  /** The name by which the others know that it is used. */
  name: string;
  unfinishedDir: string;
  versions: { cache: string; unfinished: string };
}

/** What a service does because it may be one of several on one database: its replicas. */
export class Replicas {
  readonly folders: OwnFolders;
  readonly #database: Required<ServiceDatabase>;
  readonly #replicasDir: string;
  #fingerprint: string | undefined;

  private constructor(database: Required<ServiceDatabase>, dataDir: string) {
    this.#database = database;
    this.#replicasDir = path.join(dataDir, 'replicas');
    const name = randomUUID();
    const own = path.join(this.#replicasDir, name);
    this.folders = {
      name,
      unfinishedDir: path.join(own, 'unfinished'),
      versions: { cache: path.join(own, 'versions'), unfinished: path.join(own, 'code') },
    };
  }

  /**
   * Checks that all replicas have one data folder.
   *
   * @throws ForayError STORE_UNUSABLE
   */
  static async open(database: Required<ServiceDatabase>, dataDir: string): Promise<Replicas> {
    const mark = path.join(dataDir, 'database-id');
    try {
      mkdirSync(versionFilesIn(dataDir), { recursive: true, mode: 0o700 });
      if (!existsSync(mark)) writeFileSync(mark, randomUUID(), { flag: 'wx', flush: true });
    } catch (error) {
      // another replica may just have made it
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new ForayError(
          'STORE_UNUSABLE',
          `The data folder ${dataDir} cannot be used: ${messageOf(error)}.`,
        );
      }
    }
    const id = readFileSync(mark, 'utf8').trim();
    if ((await settingOf(database.sql, 'folder', () => id)) !== id) {
      throw new ForayError(
        'STORE_UNUSABLE',
        `The data folder ${dataDir} is not that of the other services of this database.`,
        { hint: 'Services of one database share their data folder: name it with --data.' },
      );
    }
    return new Replicas(database, dataDir);
  }

  /** Makes this service a replica, and removes the folders of those that are gone. */
  async join(parts: Omit<ReplicaParts, 'peers' | 'sql' | 'folder'>): Promise<Replica> {
    const { peers, sql } = this.#database;
    const replica = await Replica.join({ ...parts, peers, sql, folder: this.folders.name });
    const folders = existsSync(this.#replicasDir) ? readdirSync(this.#replicasDir) : [];
    for (const name of await peers.absent(folders)) this.#remove(name);
    return replica;
  }

  /**
   * Checks that all replicas accept the same keys. Those of the first one count until it changes them.
   *
   * @throws ForayError KEYS_INVALID
   */
  async agreeOnKeys(access: Access, replica: Replica): Promise<void> {
    const { sql } = this.#database;
    this.#fingerprint = access.fingerprint();
    await sql.all((await replica.isAlone()) ? statements.set : statements.agree, KEYS, this.#fingerprint);
    const [row] = await sql.all<{ value: string }>(statements.value, KEYS);
    if (row?.value === this.#fingerprint) return;
    throw new ForayError('KEYS_INVALID', 'The other services of this database accept other keys.', {
      hint: 'Give all of them the same file with --keys, byte for byte, and the same --api-key, if any.',
    });
  }

  /** Notes that the keys have changed, for replicas that start later. */
  async noteKeys(access: Access): Promise<void> {
    const fingerprint = access.fingerprint();
    if (fingerprint === this.#fingerprint) return;
    await this.#database.sql.all(statements.set, KEYS, fingerprint);
    this.#fingerprint = fingerprint;
  }

  /** Removes the folders of this service. */
  removeFolders(): void {
    this.#remove(this.folders.name);
  }

  #remove(name: string): void {
    rmSync(path.join(this.#replicasDir, name), { recursive: true, force: true });
  }
}

/** Undefined for a database that no other service can use. */
export async function openReplicas(
  database: Required<ServiceDatabase> | undefined,
  dataDir: string,
): Promise<Replicas | undefined> {
  if (!database) return undefined;
  try {
    return await Replicas.open(database, dataDir);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The database in PostgreSQL, whose program parts are loaded only for it. */
export async function openShared(address: string): Promise<Required<ServiceDatabase>> {
  const { openPostgres } = await import('./database/postgres.ts');
  return openPostgres(address);
}
