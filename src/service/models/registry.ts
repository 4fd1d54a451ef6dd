import type { DatabaseSync } from 'node:sqlite';
import type { Experiment, Model, Version } from '../../api/resources.ts';
import { nameKey } from '../../api/values.ts';
import { ServiceError } from '../errors.ts';
import type { Problem, Problems } from '../problems.ts';
import { type AnimationDeclaration, type DeclaredInput, experimentsOf, templateOf } from './declaration.ts';
import type { ModelCode } from './folder.ts';
import { stableUuid } from './ids.ts';
import type { ModelReader} from './reader.ts';
import { type FoundModel, type Unreadable } from './reader.ts';

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

/** What a further reading of the folders of models came to. */
export interface Reload {
  /** What is new, in a line each: versions, and models that are not valid any more. */
  lines: string[];
  /** Whether the code of any model is another than before. */
  hasChanged: boolean;
  /** Whether everything could be read. */
  isComplete: boolean;
}

/**
 * The models and versions of the service: those of the database, with the code found in the folders of models. A
 * model whose code differs from its latest version becomes a new version; earlier ones stay, with their runs.
 */
export class ModelRegistry {
  readonly #db: DatabaseSync;
  readonly #reader: ModelReader;
  readonly #problems: Problems;
  #models: ReadonlyMap<string, Model> = new Map();
  #versions: ReadonlyMap<string, ServedVersion> = new Map();
  #unreadableVersions: readonly string[] = [];
  /** What was wrong with models at the last reading. */
  #complaints: readonly string[] = [];

  private constructor(db: DatabaseSync, reader: ModelReader, problems: Problems) {
    this.#db = db;
    this.#reader = reader;
    this.#problems = problems;
  }

  /** @throws ForayError MODEL_INVALID, MODEL_UNREADABLE naming the folder */
  static async open(db: DatabaseSync, reader: ModelReader, problems: Problems): Promise<ModelRegistry> {
    const registry = new ModelRegistry(db, reader, problems);
    const { models, invalid, unreadable } = await reader.read();
    const problem = invalid[0] ?? unreadable[0]?.problem;
    if (problem) throw problem;
    registry.#take([...models.values()]);
    return registry;
  }

  /**
   * Reads the folders of models anew. A model that is not valid, or has the name of another, is left out: its versions
   * stay, and take no new runs. One that cannot be read stays as it was.
   */
  async reload(): Promise<Reload> {
    const { models, invalid, unreadable } = await this.#reader.read();
    const served = this.#servedCode();
    const added = this.#take([...models.values()]);
    const kept = new Set(unreadable.flatMap((folder) => folder.kept.map(({ id }) => id)));
    this.#unreadableVersions = [...this.#versions.values()]
      .filter(({ modelId, code }) => code && kept.has(modelId))
      .map(({ id }) => id);
    this.#problems.replace(['MODEL_UNREADABLE', 'MODELS_UNREADABLE'], unreadable.map(problemOf));
    const complaints = invalid.map((problem) => problem.toLine());
    const lines = [...complaints.filter((line) => !this.#complaints.includes(line)), ...added];
    this.#complaints = complaints;
    return { lines, hasChanged: this.#servedCode() !== served, isComplete: unreadable.length === 0 };
  }

  /** Takes models over; returns the versions that are new, as `<model>, version <number>`. */
  #take(found: readonly FoundModel[]): string[] {
    const added = found.flatMap((model) => {
      const number = recordModel(this.#db, model);
      return number === undefined ? [] : [`${model.declaration.name}, version ${number}`];
    });
    this.#read(found);
    return added;
  }

  /** Tells the code that is served from other. */
  #servedCode(): string {
    return [...this.#versions.values()].map(({ id, code }) => `${id} ${code?.contentHash}`).join('\n');
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

  /** Ids of the versions whose code cannot be read just now. */
  unreadableVersions(): readonly string[] {
    return this.#unreadableVersions;
  }

  /** What anybody, also without a key, may hear of the model that a version is of. */
  publicName(versionId: string): string {
    return modelName(this.model(this.version(versionId).modelId));
  }

  /** @throws ServiceError UNKNOWN_VERSION */
  version(id: string): ServedVersion {
    const version = this.#versions.get(id);
    if (!version) throw new ServiceError('UNKNOWN_VERSION', `There is no model version with the id ${id}.`);
    return version;
  }
}

/** As anybody may hear of it, and as whoever runs the service does. */
function problemOf({ folder, isRoot, problem, kept }: Unreadable): Problem {
  const what = isRoot ? 'A folder of models' : modelName(kept[0]?.declaration);
  return {
    code: isRoot ? 'MODELS_UNREADABLE' : 'MODEL_UNREADABLE',
    subject: folder,
    message: `${what} cannot be read; what was read of it before holds, and its runs wait.`,
    detail: `${problem.message} What was read of it before holds, and its runs wait until it can be read.`,
  };
}

/** Private models are for nobody else to know. */
function modelName(model: { name: string; published: boolean } | undefined): string {
  return model?.published ? `The model "${model.name}"` : 'A model';
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
