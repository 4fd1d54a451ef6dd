import type { VersionFile } from '../../api/extensions.ts';
import type { Experiment, Model, Version } from '../../api/resources.ts';
import { messageOf } from '../../errors.ts';
import type { Database, Dialect, Sql } from '../database/database.ts';
import { experimentsOf, templateOf } from './declaration.ts';
import { modelId, versionId } from './ids.ts';
import { type Manifest, manifestOf, whyNotRunnable } from './manifest.ts';
import type { FoundModel } from './reader.ts';
import type { VersionFiles } from './version-files.ts';

/** A version in the database. */
export interface VersionRow extends Version {
  modelId: string;
  codeHash: string;
  experiments: Experiment[];
  files: VersionFile[] | null;
  manifest: Manifest | null;
  madeAt: string | null;
  prunedAt: string | null;
  /** How outputs have depended on earlier runs of a process. */
  leak: string | null;
}

/** Why a version that is not the current one takes no runs; undefined if it takes runs. */
export function whyRetired(row: Pick<VersionRow, 'manifest' | 'prunedAt'>): string | undefined {
  const { manifest, prunedAt } = row;
  if (manifest) return whyNotRunnable(manifest);
  if (prunedAt !== null) return 'its files were pruned';
  return "the model's files have changed, and the files of this version were not kept";
}

/** The version under which the table has recorded a model. */
export interface Recorded {
  number: number;
  isNew: boolean;
  /** Why its files are not kept; undefined if they are. */
  problem: string | undefined;
}

/** The statements of the table, for SQLite and PostgreSQL. */
function versionStatements({ list, lockTable }: Dialect) {
  return {
    lock: lockTable('versions'),
    models: 'SELECT * FROM models ORDER BY name',
    versions: 'SELECT * FROM versions ORDER BY model_id, number',
    version: 'SELECT * FROM versions WHERE model_id = ? AND number = ?',
    noteModel: `INSERT INTO models (id, name, description, published) VALUES (?, ?, ?, ?) ON CONFLICT (id)
       DO UPDATE SET name = excluded.name, description = excluded.description, published = excluded.published`,
    latest: `SELECT number, code_hash, manifest IS NOT NULL AS kept FROM versions
       WHERE model_id = ? ORDER BY number DESC LIMIT 1`,
    ofCode: `SELECT number, code_hash, manifest IS NOT NULL AS kept FROM versions
       WHERE model_id = ? AND code_hash = ? ORDER BY number DESC LIMIT 1`,
    state: 'SELECT count(*) AS versions, count(manifest) AS kept, count(leak) AS leaks FROM versions',
    add: `INSERT INTO versions (id, model_id, number, code_hash, template, experiments, files, made_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    noteLeak: 'UPDATE versions SET leak = ? WHERE id = ? AND leak IS NULL RETURNING number',
    addFiles: 'UPDATE versions SET files = ? WHERE model_id = ? AND number = ? AND files IS NULL',
    keep: 'UPDATE versions SET manifest = ?, pruned_at = NULL WHERE model_id = ? AND number = ?',
    manifests: 'SELECT manifest FROM versions WHERE manifest IS NOT NULL',
    prune: `UPDATE versions SET manifest = NULL, pruned_at = ?
       WHERE id IN (SELECT value FROM ${list} AS given)`,
  };
}

/** The columns of a version that show whether a model has changed, and whether its files are kept. */
interface KnownVersion {
  number: number;
  code_hash: string;
  kept: number | boolean;
}

export class VersionTable {
  readonly #sql: Database;
  readonly #statements: ReturnType<typeof versionStatements>;
  readonly #files: VersionFiles;
  readonly #now: () => number;

  constructor(sql: Database, files: VersionFiles, now: () => number) {
    this.#sql = sql;
    this.#statements = versionStatements(sql.dialect);
    this.#files = files;
    this.#now = now;
  }

  /** All models by id, without their versions. */
  async models(): Promise<Map<string, Model>> {
    const rows = await this.#sql.all<Record<'id' | 'name' | 'description', string> & { published: number }>(
      this.#statements.models,
    );
    return new Map(
      rows.map(({ id, name, description, published }) => [
        id,
        { id, name, description, modelVersions: [], published: Boolean(published) },
      ]),
    );
  }

  /** A text that changes when versions are added, kept or pruned, and when a leak is noted. */
  async state(): Promise<string> {
    return JSON.stringify(await this.#sql.all(this.#statements.state));
  }

  /** All versions. The versions of a model are in the order of their numbers. */
  async versions(): Promise<VersionRow[]> {
    return (await this.#sql.all<Columns>(this.#statements.versions)).map(readVersion);
  }

  /** The version of a model, by the model's name and the version's number. */
  async version(modelName: string, number: number): Promise<VersionRow | undefined> {
    const [row] = await this.#sql.all<Columns>(this.#statements.version, modelId(modelName), number);
    return row && readVersion(row);
  }

  /**
   * Stores a model. If the model differs from its last version, this also stores a new version with its files. If
   * several services use the database, a new version is stored only for a model that differs from all its versions.
   */
  async record(model: FoundModel): Promise<Recorded> {
    const { id, declaration, code, codeHash } = model;
    // before the transaction, because files may be large
    const stored = await this.#storeFiles(model);
    const keep = (sql: Sql, number: number) =>
      'problem' in stored ? stored.problem : this.#keep(sql, id, number, stored.manifest);
    const { name, description, published } = declaration;
    const { noteModel, latest, ofCode, addFiles } = this.#statements;
    return this.#change(async (sql) => {
      await sql.all(noteModel, id, name, description, Number(published));
      const [newest] = await sql.all<KnownVersion>(latest, id);
      // if services of one database have different folders of models, they must not add versions without end
      const [sameCode] = this.#sql.isShared ? await sql.all<KnownVersion>(ofCode, id, codeHash) : [];
      const known = sameCode ?? newest;
      if (known?.code_hash !== codeHash) {
        const number = (newest?.number ?? 0) + 1;
        await this.#add(sql, model, number);
        return { number, isNew: true, problem: await keep(sql, number) };
      }
      const { number, kept } = known;
      await sql.all(addFiles, JSON.stringify(code.files), id, number);
      return { number, isNew: false, problem: kept ? undefined : await keep(sql, number) };
    });
  }

  /**
   * Notes how outputs of a version have depended on earlier runs.
   *
   * @param leak - makes the text, with the current time
   * @returns the text; undefined if there was one before
   */
  async noteLeak(versionId: string, leak: (time: string) => string): Promise<string | undefined> {
    const text = leak(this.#time());
    const noted = await this.#sql.all(this.#statements.noteLeak, text, versionId);
    return noted.length > 0 ? text : undefined;
  }

  /**
   * Removes the kept files of versions, except those that other versions need.
   *
   * @returns the number of removed bytes
   */
  async prune(ids: readonly string[]): Promise<number> {
    const { prune, manifests } = this.#statements;
    await this.#sql.all(prune, this.#time(), JSON.stringify(ids));
    return this.#change(async (sql) => {
      const rows = await sql.all<{ manifest: string }>(manifests);
      return this.#files.removeOthers(rows.map(({ manifest }) => JSON.parse(manifest) as Manifest));
    });
  }

  /**
   * Runs transactions one after the other, also the transactions of other services. So no transaction removes files
   * that another transaction keeps.
   */
  #change<T>(act: (sql: Sql) => Promise<T>): Promise<T> {
    const { lock } = this.#statements;
    return this.#sql.atomically(async (sql) => {
      if (lock !== undefined) await sql.all(lock);
      return act(sql);
    });
  }

  async #add(sql: Sql, { id, declaration, code, codeHash }: FoundModel, number: number): Promise<void> {
    const ownId = versionId(declaration.name, number);
    await sql.all(
      this.#statements.add,
      ownId,
      id,
      number,
      codeHash,
      JSON.stringify(templateOf(declaration)),
      JSON.stringify(experimentsOf(declaration, ownId)),
      JSON.stringify(code.files),
      this.#time(),
    );
  }

  /**
   * Stores the files of a model, if they are not known to be stored. Returns their manifest, or why they cannot be read
   * or stored. This is no error, because the files of a known model may be out of reach for a while.
   */
  async #storeFiles({
    id,
    declaration,
    code,
    codeHash,
    outside,
  }: FoundModel): Promise<{ manifest: Manifest } | { problem: string }> {
    try {
      const manifest = manifestOf(code, declaration, outside);
      if (this.#files.isShared) await this.#files.publish(code, manifest);
      const [known] = await this.#sql.all<KnownVersion>(this.#statements.ofCode, id, codeHash);
      if (!known?.kept) await this.#files.keep(code, manifest);
      return { manifest };
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }

  /** Stores the manifest of a version. Returns why its files are not kept; undefined if they are. */
  async #keep(sql: Sql, id: string, number: number, manifest: Manifest): Promise<string | undefined> {
    if (!this.#files.has(manifest)) return 'they were pruned at the same time';
    await sql.all(this.#statements.keep, JSON.stringify(manifest), id, number);
    return undefined;
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}

/** The columns of a row. JSON is text. */
type Columns = Record<'id' | 'model_id' | 'number' | 'code_hash' | 'template' | 'experiments', string> &
  Record<'files' | 'manifest' | 'made_at' | 'pruned_at' | 'leak', string | null>;

function readVersion(row: Columns): VersionRow {
  return {
    id: row.id,
    version: Number(row.number),
    experimentTemplate: JSON.parse(row.template) as Version['experimentTemplate'],
    modelId: row.model_id,
    codeHash: row.code_hash,
    experiments: JSON.parse(row.experiments) as Experiment[],
    files: row.files === null ? null : (JSON.parse(row.files) as VersionFile[]),
    manifest: row.manifest === null ? null : (JSON.parse(row.manifest) as Manifest),
    madeAt: row.made_at,
    prunedAt: row.pruned_at,
    leak: row.leak,
  };
}
