import type { VersionFile } from '../../api/extensions.ts';
import type { Experiment, Model, Version } from '../../api/resources.ts';
import { nameKey } from '../../api/values.ts';
import { ForayError } from '../../errors.ts';
import { ServiceError } from '../errors.ts';
import type { Problem, Problems } from '../problems.ts';
import type { AnimationDeclaration, DeclaredInput } from './declaration.ts';
import type { ModelCode } from './folder.ts';
import { type Manifest, outsideWarning } from './manifest.ts';
import { buildDifference } from './python-build.ts';
import type { FoundModel, ModelReader, Reading, Unreadable } from './reader.ts';
import type { VersionFiles } from './version-files.ts';
import { type Recorded, type VersionRow, type VersionTable, whyRetired } from './version-table.ts';

/**
 * How long the start of the service waits for a model that is being loaded, in milliseconds. `foray dev` gives the whole
 * start a minute.
 */
const PATIENCE = 30_000;

export interface ServedVersion extends Version {
  modelId: string;
  experiments: Experiment[];
  /**
   * The code in the folders of models; undefined if these no longer have it. {@link ModelRegistry.codeOf} then returns
   * the kept code.
   */
  code: ModelCode | undefined;
  /** The kept files of the version; null if there are none. */
  manifest: Manifest | null;
  /** Why the version takes no runs; undefined if it takes runs. */
  retired: string | undefined;
  /** How outputs have depended on earlier runs of a process; null if no such case is known. */
  leak: string | null;
  /** The time when the version was made. */
  madeAt: string | null;
  /** The files of the version when the service read them. */
  files: VersionFile[] | null;
  /** Its animation; undefined if its code has none, or was not kept. */
  animation: AnimationDeclaration | undefined;
  /** The allowed values of its inputs, in the template's order; none if the code was not kept. */
  inputs: readonly DeclaredInput[];
}

export interface RegistryParts {
  table: VersionTable;
  files: VersionFiles;
  reader: ModelReader;
  problems: Problems;
  /** Tells the operator of the service. */
  warn: (line: string) => void;
}

/** The result of a further reading of the folders of models. */
export interface Reload {
  /** News, one line each: new versions, and new errors of models that are not valid. */
  lines: string[];
  /** Warnings for the authors of models, one line each. */
  warnings: string[];
  /** Whether the code of any model has changed. */
  hasChanged: boolean;
  /** Whether everything could be read. */
  isComplete: boolean;
}

/**
 * The models and versions of the service. They are in the database. Their current code is in the folders of models, or
 * for a pushed model in its kept files. If the code of a model differs from its latest version, the model gets a new
 * version. Earlier versions stay, with their runs, and still run from their kept files.
 */
export class ModelRegistry {
  readonly #table: VersionTable;
  readonly #files: VersionFiles;
  readonly #reader: ModelReader;
  readonly #problems: Problems;
  /** The models in the folders of models at the last reading. */
  #found: readonly FoundModel[] = [];
  /** The current folder of each model in the folders of models, by the model's id. */
  #folders: ReadonlyMap<string, string> = new Map();
  /** A text that identified the state of the table before it was last read. */
  #state = '';
  /** The last reading of the table, which may still run. */
  #reading: Promise<void> = Promise.resolve();
  #models: ReadonlyMap<string, Model> = new Map();
  #versions: ReadonlyMap<string, ServedVersion> = new Map();
  /** The versions whose files in the folders of models change while runs execute. */
  readonly #unsteady = new Set<string>();
  #unreadableVersions: readonly string[] = [];
  /** What looked like a model at the last reading and is not served, one sentence each. */
  #skipped: readonly string[] = [];
  /** The errors of models that were not valid at the last reading, one line each. */
  #complaints: readonly string[] = [];
  /** Whether models were still being loaded at the first reading. A further reading gets them. */
  isWaiting = false;

  private constructor({ table, files, reader, problems }: RegistryParts) {
    this.#table = table;
    this.#files = files;
    this.#reader = reader;
    this.#problems = problems;
  }

  /** @throws ForayError MODEL_INVALID, MODEL_UNREADABLE naming the folder */
  static async open(parts: RegistryParts): Promise<ModelRegistry> {
    const registry = new ModelRegistry(parts);
    const { models, invalid, skipped, isWaiting } = await firstReading(parts);
    if (invalid[0]) throw invalid[0];
    registry.#skipped = skipped;
    registry.isWaiting = isWaiting;
    await registry.#addModels([...models.values()]);
    return registry;
  }

  /** Warnings for the authors of models, one line each. */
  warnings(): string[] {
    const outside = [...this.#versions.values()].flatMap(({ code, manifest }) => {
      const warning = code && manifest && outsideWarning(manifest.declaration, manifest.outside, code);
      return warning ? [warning] : [];
    });
    return [...this.#skipped, ...outside];
  }

  /**
   * Reads the folders of models again. A model that is not valid, or has the name of another model, is left out: its
   * versions stay, and run only from their kept files. A model that cannot be read stays as it was.
   */
  async reload(): Promise<Reload> {
    const { models, invalid, unreadable, skipped, isWaiting } = await this.#reader.read();
    const served = this.#servedCode();
    const warned = this.warnings();
    this.#skipped = skipped;
    const { added, areKept } = await this.#addModels([...models.values()]);
    const kept = new Set(unreadable.flatMap((folder) => folder.kept.map(({ id }) => id)));
    this.#unreadableVersions = [...this.#versions.values()]
      .filter(({ modelId, code }) => code && kept.has(modelId))
      .map(({ id }) => id);
    this.#problems.replace(['MODEL_UNREADABLE', 'MODELS_UNREADABLE'], unreadable.map(problemOf));
    const complaints = invalid.map((problem) => problem.toLine());
    const lines = [...complaints.filter((line) => !this.#complaints.includes(line)), ...added];
    this.#complaints = complaints;
    const warnings = this.warnings().filter((warning) => !warned.includes(warning));
    const isComplete = areKept && unreadable.length === 0 && !isWaiting;
    return { lines, warnings, hasChanged: this.#servedCode() !== served, isComplete };
  }

  /**
   * Adds the models of a reading; returns the new versions, as `<model>, version <number>`, and whether all files could
   * be kept.
   */
  async #addModels(found: readonly FoundModel[]): Promise<{ added: string[]; areKept: boolean }> {
    const unkept: Problem[] = [];
    const added: string[] = [];
    for (const model of found) {
      const { number, isNew, problem } = await this.#table.record(model);
      if (problem !== undefined) unkept.push(unkeptOf(model, number, problem));
      if (isNew) added.push(`${model.declaration.name}, version ${number}${this.#whyNew(model)}`);
    }
    this.#problems.replace(['VERSION_NOT_KEPT'], unkept);
    this.#folders = new Map(found.map(({ id, code }) => [id, code.folders[0]!]));
    this.#found = found;
    await this.refresh();
    return { added, areKept: unkept.length === 0 };
  }

  /** What makes a version of a model new, if its files are those of the version before; empty otherwise. */
  #whyNew({ id, code }: FoundModel): string {
    const before = this.versions().findLast(({ modelId }) => modelId === id)?.manifest;
    if (before?.contentHash !== code.contentHash || !before.build.python || !code.python) return '';
    const difference = buildDifference(before.build.python, code.python);
    return difference === undefined ? '' : ` (other packages: ${difference})`;
  }

  /**
   * Adds a model that is in no folder of models. It runs from its kept files.
   *
   * @throws ServiceError MODEL_IN_FOLDER; ForayError MODEL_UNREADABLE when its files cannot be kept
   */
  async add(model: FoundModel): Promise<Recorded> {
    this.#checkMayAdd(model.declaration.name);
    const recorded = await this.#table.record(model);
    await this.refresh();
    if (recorded.problem !== undefined) {
      throw new ForayError('MODEL_UNREADABLE', `The files cannot be kept: ${recorded.problem}.`);
    }
    return recorded;
  }

  /** @throws ServiceError MODEL_IN_FOLDER */
  #checkMayAdd(name: string): void {
    const known = this.models().find((model) => nameKey(model.name) === nameKey(name));
    if (!known || !this.#folders.has(known.id)) return;
    throw new ServiceError(
      'MODEL_IN_FOLDER',
      `The model "${known.name}" is in a folder of models of this service: change it there.`,
    );
  }

  /** A text that identifies the served code. */
  #servedCode(): string {
    return [...this.#versions.values()].map(({ id, code }) => `${id} ${code?.contentHash}`).join('\n');
  }

  /** Reads the versions of the database again, if another service has changed them. */
  async notice(): Promise<void> {
    if ((await this.#table.state()) !== this.#state) await this.refresh();
  }

  has(versionId: string): boolean {
    return this.#versions.has(versionId);
  }

  /** Reads the versions of the database again. Readings are sequential, so the last one counts. */
  refresh(): Promise<void> {
    this.#reading = this.#reading.catch(() => {}).then(() => this.#read());
    return this.#reading;
  }

  async #read(): Promise<void> {
    const state = await this.#table.state();
    // another service may add a model meanwhile, so models are read after versions: each version then has its model
    const rows = await this.#table.versions();
    const models = await this.#table.models();
    const versions = new Map<string, ServedVersion>();
    const byCode = new Map(this.#found.map((model) => [`${model.id} ${model.codeHash}`, model]));
    for (const row of rows) {
      models.get(row.modelId)!.modelVersions.push(row.id);
      versions.set(row.id, served(row, byCode.get(`${row.modelId} ${row.codeHash}`)));
    }
    this.#models = models;
    this.#versions = versions;
    this.#state = state;
  }

  /**
   * From now on, runs of a version use its kept files, because files in its folder change while runs execute. So only
   * the first run of a model that writes beside itself is executed twice.
   */
  leaveFolder(versionId: string): void {
    this.#unsteady.add(versionId);
  }

  /**
   * The code for the runs of a version. It is in the folders of models, or in a folder that is made from the kept files
   * of the version.
   *
   * @returns undefined if the version takes no runs
   * @throws Deferred if the kept files cannot be used at the moment
   */
  async codeOf({ id, modelId, code, manifest, retired }: ServedVersion): Promise<ModelCode | undefined> {
    const usesKept = !code || (manifest !== null && this.#unsteady.has(id));
    if (!usesKept) return code;
    if (!manifest || retired !== undefined) return undefined;
    return this.#files.folders.ready(manifest, this.#folders.get(modelId));
  }

  /**
   * Removes the kept files of versions. These versions then take no runs. Versions whose code is in the folders of
   * models stay.
   *
   * @returns the number of removed bytes
   */
  async prune(versions: readonly ServedVersion[]): Promise<number> {
    const pruned = versions.filter(({ code, manifest }) => !code && manifest);
    const bytes = await this.#table.prune(pruned.map(({ id }) => id));
    await this.refresh();
    return bytes;
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

  versions(): ServedVersion[] {
    return [...this.#versions.values()];
  }

  /** Ids of the versions whose code cannot be read at the moment. */
  unreadableVersions(): readonly string[] {
    return this.#unreadableVersions;
  }

  /**
   * Notes that outputs of a version have depended on earlier runs of the same process.
   *
   * @param difference - an output with two values, as the end of a sentence
   * @returns a line for the operator; undefined if this was known
   */
  async noteLeak(versionId: string, difference: string): Promise<string | undefined> {
    const known = this.#versions.get(versionId);
    if (!known || known.leak !== null) return undefined;
    const { modelId, version } = known;
    const leak = await this.#table.noteLeak(
      versionId,
      (time) =>
        `${difference}. Since ${time}, each run has a process of its own; earlier results may be wrong.`,
    );
    if (leak === undefined) return undefined;
    await this.refresh();
    return `Outputs of the model "${this.model(modelId).name}", version ${version}, depend on earlier runs: ${leak}`;
  }

  /** The name of a version's model in messages that need no key. */
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

function served(row: VersionRow, current: FoundModel | undefined): ServedVersion {
  const { id, version, experimentTemplate, modelId, experiments, manifest, madeAt, files, leak } = row;
  const declaration = current?.declaration ?? manifest?.declaration;
  return {
    id,
    version,
    experimentTemplate,
    modelId,
    experiments,
    manifest,
    madeAt,
    leak,
    files,
    code: current?.code,
    retired: current ? undefined : whyRetired(row),
    animation: declaration?.animation,
    inputs: declaration?.inputs ?? [],
  };
}

function unkeptOf({ declaration }: FoundModel, number: number, why: string): Problem {
  return {
    code: 'VERSION_NOT_KEPT',
    subject: declaration.name,
    message: `${modelName(declaration)}: the files of its newest version cannot be kept.`,
    detail: `The files of version ${number} of the model "${declaration.name}" cannot be kept: ${why}. foray tries again. Until it succeeds, the version runs only while the model does not change.`,
  };
}

/** The problem with its public message and its message for the operator. */
function problemOf({ folder, isRoot, problem, kept }: Unreadable): Problem {
  const what = isRoot ? 'A folder of models' : modelName(kept[0]?.declaration);
  return {
    code: isRoot ? 'MODELS_UNREADABLE' : 'MODEL_UNREADABLE',
    subject: folder,
    message: `${what} cannot be read: it stays as it was, and its runs wait.`,
    detail: `${problem.message} It stays as it was, and its runs wait until it can be read.`,
  };
}

/** The name of a model in a message for everybody. The names of private models are secret. */
function modelName(model: { name: string; published: boolean } | undefined): string {
  return model?.published ? `The model "${model.name}"` : 'A model';
}

/**
 * The first reading of the folders of models. It waits longer than others, and says so. It ends with the first error of
 * a model, even while others are being loaded.
 *
 * @throws ForayError MODEL_INVALID, MODEL_UNREADABLE
 */
async function firstReading({ reader, warn }: Pick<RegistryParts, 'reader' | 'warn'>): Promise<Reading> {
  const { promise: fails, reject } = Promise.withResolvers<never>();
  const whole = async (): Promise<Reading> => {
    const reading = await reader.read(undefined, reject);
    if (!reading.isWaiting) return reading;
    warn(`Waiting for models that take long to load: ${reader.waitingFor.join(', ')}.`);
    return reader.read(PATIENCE, reject);
  };
  return Promise.race([whole(), fails]);
}
