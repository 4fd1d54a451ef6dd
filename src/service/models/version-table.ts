import type { DatabaseSync } from 'node:sqlite';
import type { VersionFile } from '../../api/extensions.ts';
import type { Experiment, Model, Version } from '../../api/resources.ts';
import { nameKey } from '../../api/values.ts';
import { messageOf } from '../../errors.ts';
import { experimentsOf, templateOf } from './declaration.ts';
import { stableUuid } from './ids.ts';
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
}

export const PRUNED = 'its files were pruned';

/** Why a version that is not the current one takes no runs; undefined when it does. */
export function whyRetired({
  manifest,
  prunedAt,
}: Pick<VersionRow, 'manifest' | 'prunedAt'>): string | undefined {
  if (manifest) return whyNotRunnable(manifest);
  return prunedAt === null
    ? "the model's files have changed, and those of this version were not kept"
    : PRUNED;
}

/** What has become of a model that was found in the folders of models. */
export interface Recorded {
  /** Of its version. */
  number: number;
  isNew: boolean;
  /** Why its files are not kept; undefined when they are. */
  problem: string | undefined;
}

/** The models and their versions in the database. */
export class VersionTable {
  readonly #db: DatabaseSync;
  readonly #files: VersionFiles;
  readonly #now: () => number;

  constructor(db: DatabaseSync, files: VersionFiles, now: () => number) {
    this.#db = db;
    this.#files = files;
    this.#now = now;
  }

  /** All models by id, without their versions. */
  models(): Map<string, Model> {
    const rows = this.#db.prepare('SELECT * FROM models ORDER BY name').all() as Record<string, string>[];
    return new Map(
      rows.map(({ id, name, description, published }) => [
        id!,
        { id: id!, name: name!, description: description!, modelVersions: [], published: Boolean(published) },
      ]),
    );
  }

  /** All versions, those of a model in the order of their numbers. */
  versions(): VersionRow[] {
    return this.#db.prepare('SELECT * FROM versions ORDER BY model_id, number').all().map(readVersion);
  }

  /** The version with a number of the model with a name. */
  version(modelName: string, number: number): VersionRow | undefined {
    const row = this.#db
      .prepare('SELECT * FROM versions WHERE model_id = ? AND number = ?')
      .get(stableUuid('model', nameKey(modelName)), number);
    return row && readVersion(row);
  }

  /** Writes down a model, and a version of it if it differs from the last one, with its files. */
  record(model: FoundModel): Recorded {
    const { id, declaration, code, codeHash } = model;
    this.#db
      .prepare(
        `INSERT INTO models (id, name, description, published) VALUES (?, ?, ?, ?) ON CONFLICT (id)
         DO UPDATE SET name = excluded.name, description = excluded.description, published = excluded.published`,
      )
      .run(id, declaration.name, declaration.description, Number(declaration.published));
    const latest = this.#db
      .prepare(
        `SELECT number, code_hash, manifest IS NOT NULL AS kept FROM versions
         WHERE model_id = ? ORDER BY number DESC LIMIT 1`,
      )
      .get(id) as { number: number; code_hash: string; kept: number } | undefined;
    if (latest?.code_hash !== codeHash) {
      const number = (latest?.number ?? 0) + 1;
      this.#add(model, number);
      return { number, isNew: true, problem: this.#keep(model, number) };
    }
    const { number, kept } = latest;
    // a version of an earlier foray lacks them
    this.#db
      .prepare('UPDATE versions SET files = ? WHERE model_id = ? AND number = ? AND files IS NULL')
      .run(JSON.stringify(code.files), id, number);
    return { number, isNew: false, problem: kept ? undefined : this.#keep(model, number) };
  }

  /** Notes that the files of versions are kept no longer. */
  prune(ids: readonly string[]): void {
    this.#db
      .prepare(
        'UPDATE versions SET manifest = NULL, pruned_at = ? WHERE id IN (SELECT value FROM json_each(?))',
      )
      .run(this.#time(), JSON.stringify(ids));
  }

  #add({ id, declaration, code, codeHash }: FoundModel, number: number): void {
    const versionId = stableUuid('version', nameKey(declaration.name), number);
    this.#db
      .prepare(
        `INSERT INTO versions (id, model_id, number, code_hash, template, experiments, files, made_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        versionId,
        id,
        number,
        codeHash,
        JSON.stringify(templateOf(declaration)),
        JSON.stringify(experimentsOf(declaration, versionId)),
        JSON.stringify(code.files),
        this.#time(),
      );
  }

  /** Stores the files of a version, and then what is in it; returns why that is not possible. */
  #keep({ id, declaration, code, outside }: FoundModel, number: number): string | undefined {
    try {
      const manifest = manifestOf(code, declaration, outside);
      this.#files.keep(code, manifest);
      this.#db
        .prepare('UPDATE versions SET manifest = ?, pruned_at = NULL WHERE model_id = ? AND number = ?')
        .run(JSON.stringify(manifest), id, number);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}

function readVersion(row: Record<string, unknown>): VersionRow {
  const { id, model_id, number, code_hash, template, experiments, files, manifest, made_at, pruned_at } =
    row as Record<string, string | null>;
  return {
    id: id!,
    version: Number(number),
    experimentTemplate: JSON.parse(template!) as Version['experimentTemplate'],
    modelId: model_id!,
    codeHash: code_hash!,
    experiments: JSON.parse(experiments!) as Experiment[],
    files: files == null ? null : (JSON.parse(files) as VersionFile[]),
    manifest: manifest == null ? null : (JSON.parse(manifest) as Manifest),
    madeAt: made_at ?? null,
    prunedAt: pruned_at ?? null,
  };
}
