import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Experiment, Model, Version } from '../../api/resources.ts';
import { nameKey } from '../../api/values.ts';
import { ForayError, isForayError } from '../../errors.ts';
import { ServiceError } from '../errors.ts';
import {
  type AnimationDeclaration,
  type Declaration,
  type DeclaredInput,
  experimentsOf,
  templateOf,
} from './declaration.ts';
import { describeModel } from './describe.ts';
import { findModels, type ModelCode, type ModelPlace, readCode } from './folder.ts';
import { stableUuid } from './ids.ts';

/** A model version as the service holds it. */
export interface ServedVersion extends Version {
  modelId: string;
  experiments: Experiment[];
  /** Undefined when the code of this version is no longer in the folders of models. */
  code: ModelCode | undefined;
  /** How it is drawn; undefined where its code does not say so, or is gone. */
  animation: AnimationDeclaration | undefined;
  /** What its code allows for its inputs, in the template's order; none when the code is gone. */
  inputs: readonly DeclaredInput[];
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
  readonly #db: DatabaseSync;
  readonly #modelDirs: readonly string[];
  #models: ReadonlyMap<string, Model> = new Map();
  #versions: ReadonlyMap<string, ServedVersion> = new Map();

  private constructor(db: DatabaseSync, modelDirs: readonly string[]) {
    this.#db = db;
    this.#modelDirs = modelDirs;
  }

  /** @throws ForayError MODEL_INVALID naming the folder */
  static async open(db: DatabaseSync, modelDirs: readonly string[]): Promise<ModelRegistry> {
    const registry = new ModelRegistry(db, modelDirs);
    await registry.reload((problem) => {
      throw problem;
    });
    return registry;
  }

  /**
   * Reads the folders of models anew. A model that cannot be read, or has the name of another, is left out: its versions
   * stay, and take no new runs.
   *
   * @param onProblem - told of each, a ForayError MODEL_INVALID
   * @returns the versions that are new, as `<model>, version <number>`
   */
  async reload(onProblem: (problem: ForayError) => void): Promise<string[]> {
    const places = this.#modelDirs.flatMap((dir) => tried(() => findModels(dir), onProblem) ?? []);
    const read = await Promise.all(places.map((place) => readModel(place).catch(heeded(onProblem))));
    const byId = new Map<string, FoundModel>();
    for (const model of read) {
      if (!model) continue;
      const other = byId.get(model.id);
      if (other) onProblem(sameName(other, model));
      else byId.set(model.id, model);
    }
    const found = [...byId.values()];
    const added = found.flatMap((model) => {
      const number = recordModel(this.#db, model);
      return number === undefined ? [] : [`${model.declaration.name}, version ${number}`];
    });
    this.#read(found);
    return added;
  }

  #read(found: readonly FoundModel[]): void {
    const models = new Map<string, Model>();
    const versions = new Map<string, ServedVersion>();
    const byCode = new Map(found.map((model) => [`${model.id} ${model.codeHash}`, model]));
    for (const row of this.#db.prepare('SELECT * FROM models ORDER BY name').all()) {
      const { id, name, description, published } = row as Record<string, string>;
      models.set(id!, {
        id: id!,
        name: name!,
        description: description!,
        modelVersions: [],
        published: Boolean(published),
      });
    }
    for (const row of this.#db.prepare('SELECT * FROM versions ORDER BY model_id, number').all()) {
      const { id, model_id, number, code_hash, template, experiments } = row as Record<string, string>;
      models.get(model_id!)!.modelVersions.push(id!);
      const current = byCode.get(`${model_id} ${code_hash}`);
      versions.set(id!, {
        id: id!,
        version: Number(number),
        experimentTemplate: JSON.parse(template!) as Version['experimentTemplate'],
        modelId: model_id!,
        experiments: JSON.parse(experiments!) as Experiment[],
        code: current?.code,
        animation: current?.declaration.animation,
        inputs: current?.declaration.inputs ?? [],
      });
    }
    this.#models = models;
    this.#versions = versions;
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

function sameName(one: FoundModel, other: FoundModel): ForayError {
  const folders = [one, other].map(({ code }) => code.folders[0]).join(' and ');
  return new ForayError('MODEL_INVALID', `Two models have the name "${other.declaration.name}": ${folders}.`);
}

/** For what fails with an error for users: undefined then. */
function heeded(onProblem: (problem: ForayError) => void): (error: unknown) => undefined {
  return (error) => {
    if (!isForayError(error)) throw error;
    onProblem(error);
  };
}

function tried<T>(read: () => T, onProblem: (problem: ForayError) => void): T | undefined {
  try {
    return read();
  } catch (error) {
    return heeded(onProblem)(error);
  }
}

async function readModel(place: ModelPlace): Promise<FoundModel> {
  const code = readCode(place);
  const declaration = await describeModel(code.entry);
  const codeHash = createHash('sha256')
    .update(JSON.stringify([code.contentHash, declaration]))
    .digest('hex');
  return { id: stableUuid('model', nameKey(declaration.name)), declaration, code, codeHash };
}

/** Returns the number of the version, if it is new. */
function recordModel(db: DatabaseSync, { id, declaration, codeHash }: FoundModel): number | undefined {
  const latest = db
    .prepare('SELECT number, code_hash FROM versions WHERE model_id = ? ORDER BY number DESC LIMIT 1')
    .get(id) as { number: number; code_hash: string } | undefined;
  db.prepare(
    `INSERT INTO models (id, name, description, published) VALUES (?, ?, ?, ?) ON CONFLICT (id)
     DO UPDATE SET name = excluded.name, description = excluded.description, published = excluded.published`,
  ).run(id, declaration.name, declaration.description, Number(declaration.published));
  if (latest?.code_hash === codeHash) return undefined;
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
  return number;
}
