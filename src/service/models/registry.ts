import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Experiment, Model, Version } from '../../api/resources.ts';
import { nameKey } from '../../api/values.ts';
import { ForayError } from '../../errors.ts';
import { ServiceError } from '../errors.ts';
import { type AnimationDeclaration, type Declaration, experimentsOf, templateOf } from './declaration.ts';
import { describeModel } from './describe.ts';
import { findModels, type ModelCode } from './folder.ts';
import { stableUuid } from './ids.ts';

/** A model version as the service holds it. */
export interface ServedVersion extends Version {
  modelId: string;
  experiments: Experiment[];
  /** Undefined when the code of this version is no longer in the folders of models. */
  code: ModelCode | undefined;
  /** How it is drawn; undefined where its code does not say so, or is gone. */
  animation: AnimationDeclaration | undefined;
}

interface FoundModel {
  id: string;
  declaration: Declaration;
  code: ModelCode;
  /** Of content and declaration: what makes a version. */
  codeHash: string;
}

/**
 * The models and versions of the service: those of the database, with the code found in the folders of models. A
 * model whose code differs from its latest version becomes a new version; earlier ones stay, with their runs.
 */
export class ModelRegistry {
  readonly #models = new Map<string, Model>();
  readonly #versions = new Map<string, ServedVersion>();

  private constructor(db: DatabaseSync, found: readonly FoundModel[]) {
    const byCode = new Map(found.map((model) => [`${model.id} ${model.codeHash}`, model]));
    for (const row of db.prepare('SELECT * FROM models ORDER BY name').all()) {
      const { id, name, description, published } = row as Record<string, string>;
      this.#models.set(id!, {
        id: id!,
        name: name!,
        description: description!,
        modelVersions: [],
        published: Boolean(published),
      });
    }
    for (const row of db.prepare('SELECT * FROM versions ORDER BY model_id, number').all()) {
      const { id, model_id, number, code_hash, template, experiments } = row as Record<string, string>;
      this.#models.get(model_id!)!.modelVersions.push(id!);
      const current = byCode.get(`${model_id} ${code_hash}`);
      this.#versions.set(id!, {
        id: id!,
        version: Number(number),
        experimentTemplate: JSON.parse(template!) as Version['experimentTemplate'],
        modelId: model_id!,
        experiments: JSON.parse(experiments!) as Experiment[],
        code: current?.code,
        animation: current?.declaration.animation,
      });
    }
  }

  /** @throws ForayError MODEL_INVALID naming the folder */
  static async open(db: DatabaseSync, modelDirs: readonly string[]): Promise<ModelRegistry> {
    const found = await Promise.all(modelDirs.flatMap(findModels).map(readModel));
    const byId = new Map<string, FoundModel>();
    for (const model of found) {
      const other = byId.get(model.id);
      if (other) {
        const folders = [other, model].map(({ code }) => code.folders[0]).join(' and ');
        throw new ForayError(
          'MODEL_INVALID',
          `Two models have the name "${model.declaration.name}": ${folders}.`,
        );
      }
      byId.set(model.id, model);
      recordModel(db, model);
    }
    return new ModelRegistry(db, found);
  }

  models(): Model[] {
    return [...this.#models.values()];
  }

  /** @throws ServiceError UNKNOWN_MODEL */
  model(id: string): Model {
    const model = this.#models.get(id);
    if (!model) throw new ServiceError('UNKNOWN_MODEL', `There is no model with the id ${id}.`);
    return model;
  }

  /** @throws ServiceError UNKNOWN_MODEL */
  modelByName(name: string): Model {
    const model = this.models().find((model) => nameKey(model.name) === nameKey(name));
    if (!model) throw new ServiceError('UNKNOWN_MODEL', `There is no model with the name "${name}".`);
    return model;
  }

  /** @throws ServiceError UNKNOWN_VERSION */
  version(id: string): ServedVersion {
    const version = this.#versions.get(id);
    if (!version) throw new ServiceError('UNKNOWN_VERSION', `There is no model version with the id ${id}.`);
    return version;
  }
}

async function readModel(code: ModelCode): Promise<FoundModel> {
  const declaration = await describeModel(code.entry);
  const codeHash = createHash('sha256')
    .update(JSON.stringify([code.contentHash, declaration]))
    .digest('hex');
  return { id: stableUuid('model', nameKey(declaration.name)), declaration, code, codeHash };
}

function recordModel(db: DatabaseSync, { id, declaration, codeHash }: FoundModel): void {
  const latest = db
    .prepare('SELECT number, code_hash FROM versions WHERE model_id = ? ORDER BY number DESC LIMIT 1')
    .get(id) as { number: number; code_hash: string } | undefined;
  db.prepare(
    `INSERT INTO models (id, name, description, published) VALUES (?, ?, ?, ?) ON CONFLICT (id)
     DO UPDATE SET name = excluded.name, description = excluded.description, published = excluded.published`,
  ).run(id, declaration.name, declaration.description, Number(declaration.published));
  if (latest?.code_hash === codeHash) return;
  const number = (latest?.number ?? 0) + 1;
  const versionId = stableUuid('version', nameKey(declaration.name), number);
  db.prepare(
    'INSERT INTO versions (id, model_id, number, code_hash, template, experiments) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(
    versionId,
    id,
    number,
    codeHash,
    JSON.stringify(templateOf(declaration)),
    JSON.stringify(experimentsOf(declaration, versionId)),
  );
}
