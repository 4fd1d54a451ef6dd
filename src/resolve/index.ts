import { createHash } from 'node:crypto';
import { checkAllowed, isLimited, nameKey, type Model, ValueError, type Version } from '../api/index.ts';
import { checkDefinition } from '../campaign/check.ts';
import { derivePath, pointCheck, pointPaths } from '../campaign/designs/resolve/index.ts';
import { type Design, hasDerived, sizeOf } from '../campaign/designs/resolved-design.ts';
import { DeriveError } from '../campaign/designs/rows.ts';
import type { PointCheck, PointFile } from '../campaign/designs/table.ts';
import { checkCompared } from '../campaign/search/resolve-select.ts';
import type { OutsideMethod, Search } from '../campaign/search/search.ts';
import { inputFinder } from '../campaign/find-input.ts';
import { type Contents, type DesignOf, expand } from '../campaign/points.ts';
import type { LimitedVersion, ModelFacts } from '../campaign/facts.ts';
import type { ReadDefinition } from '../campaign/read.ts';
import { didYouMean } from '../text/suggest.ts';
import type { Campaign, CampaignFile } from '../campaign/types.ts';
import type { ModelInput } from '../campaign/input-values.ts';
import { type CloudClient, isCloudError } from '../cloud/index.ts';
import { ForayError, type Place } from '../errors.ts';
import { type DefinitionSource, fileOf, readSource, textOf } from './source.ts';

export { type DefinitionSource, fileOf, textOf };
export {
  checkTakesRuns,
  hasNewerVersion,
  type FileChanges,
  fileChanges,
  otherVersion,
  TAKE_ANOTHER,
} from './other-version.ts';
export { ServiceAtHand } from './service-at-hand.ts';

/** A definition that was resolved against the model's version. */
export interface ResolvedDefinition {
  campaign: Omit<Campaign, 'id' | 'service'>;
  /** The number of different points of the design. */
  points: number;
  /** A hash of the definition's meaning. It does not depend on how the definition is written. */
  digest: string;
}

/** Access to the files that a definition names. Their contents are known by hash. */
export interface DefinitionFiles {
  /** Finds the files of inputs. `paths` has the path by input. */
  find(read: ReadDefinition, paths: Record<string, string>): Promise<CampaignFile[]>;
  /**
   * Finds a point file that a design names.
   *
   * @param path - the path as written in the definition
   * @param place - the place of the path in the definition
   */
  findPoints(path: string, place: Place, check: PointCheck): Promise<PointFile>;
  /** Finds the working folder of an outside optimiser, and which words of its command are files there. */
  findProgram(command: readonly string[]): Promise<Pick<OutsideMethod, 'folder' | 'files'>>;
  /** The contents of the point files that were found. */
  contentsOf(design: Design): Promise<Contents>;
}

/**
 * Reads a definition and checks all of it against the model's version at the service. Nothing is written or started.
 *
 * @param pinned - the version that `latest` means in a campaign that has started
 * @throws ForayError with the place in the definition
 */
export async function resolveDefinition(
  cloud: CloudClient,
  source: DefinitionSource,
  files: DefinitionFiles,
  pinned?: Campaign['model'],
): Promise<ResolvedDefinition> {
  const read = readSource(source);
  const { model, version } = await findVersion(cloud, read, pinned);
  const experiments = read.definition.experiment === undefined ? [] : await cloud.listExperiments(version.id);
  const facts = { name: model.name, version: await withLimits(cloud, version), experiments };
  const { files: paths, ...checked } = checkDefinition(read, facts, await findPoints(read, facts, files));
  const found = await files.find(read, paths);
  read.mistakes.throwAny();
  const campaign = {
    ...checked,
    ...(checked.search && { search: await withProgram(checked.search, files) }),
    base: withFiles(checked.base, found),
    files: found,
    model: { id: model.id, name: model.name, versionId: version.id, version: version.version },
  };
  const digest = createHash('sha256').update(meaningOf(campaign)).digest('hex');
  const points = countPoints(read, facts, campaign, await files.contentsOf(campaign.design));
  checkCompared(read, campaign, points);
  return { campaign, points, digest };
}

/**
 * The text from which the hash of a definition is made. It leaves out newer settings that have their default value, so
 * that a definition has the same hash as in earlier versions of foray. It also leaves out the folder of an outside
 * optimiser, because the hashes of the optimiser's files are included.
 */
function meaningOf({ outputFiles, ...campaign }: ResolvedDefinition['campaign']): string {
  const { search } = campaign;
  const named =
    search && typeof search.method === 'object'
      ? { ...campaign, search: { ...search, method: { ...search.method, folder: '' } } }
      : campaign;
  return JSON.stringify(outputFiles === 'link' ? named : { ...named, outputFiles });
}

async function withProgram(search: Search, files: DefinitionFiles): Promise<Search> {
  const { method } = search;
  if (typeof method === 'string') return search;
  return { ...search, method: { ...method, ...(await files.findProgram(method.command)) } };
}

async function findPoints(
  { definition: { design }, locate, mistakes }: ReadDefinition,
  facts: ModelFacts,
  files: DefinitionFiles,
): Promise<Record<string, PointFile>> {
  // a path may be any text, even the name of a property that every object has
  const found = Object.create(null) as Record<string, PointFile>;
  const find = inputFinder(facts);
  const tried = new Set<string>();
  for (const { path, at } of design ? pointPaths(design, ['design']) : []) {
    if (tried.has(path)) continue;
    tried.add(path);
    const points = await mistakes.attemptAsync(() =>
      files.findPoints(path, locate(at), pointCheck({ find })),
    );
    if (points) found[path] = points;
  }
  return found;
}

/** A version with the allowed values of its inputs, if the service has them. */
export async function withLimits(cloud: CloudClient, version: Version): Promise<LimitedVersion> {
  const limits = new Map((await cloud.getAllowedValues(version.id)).map((limit) => [limit.name, limit]));
  const { experimentTemplate } = version;
  const inputs = experimentTemplate.inputs.map((input) => ({ ...limits.get(input.name), ...input }));
  return { ...version, experimentTemplate: { ...experimentTemplate, inputs } };
}

/**
 * Reads the whole design once. Derived values are computed here for the first time, so their limits are checked here.
 */
function countPoints(
  read: ReadDefinition,
  facts: ModelFacts,
  campaign: DesignOf,
  contents: Contents,
): number {
  const size = hasDerived(campaign.design) ? undefined : sizeOf(campaign.design);
  if (size !== undefined) return size;
  const { inputs } = facts.version.experimentTemplate;
  const limited = campaign.varied.flatMap(({ name }, at) => {
    const input = inputs.find((candidate) => candidate.name === name)!;
    return isLimited(input) ? [{ input, at }] : [];
  });
  let points = 0;
  try {
    for (const { ordinal, values } of expand(campaign, contents)) {
      points = ordinal + 1;
      for (const { input, at } of limited) checkDerived(input, values[at]!, points);
    }
  } catch (error) {
    if (!(error instanceof DeriveError)) throw error;
    const path = ['design', ...derivePath(read.definition.design!, error.input)];
    throw new ForayError('INVALID_VALUE', `The value of "${error.input}" ${error.message}.`, {
      place: read.locate(path),
    });
  }
  if (points > 0) return points;
  throw new ForayError('EMPTY_DESIGN', 'The design has no points: "where" holds for none.', {
    place: read.locate(['design'], 'key'),
  });
}

/** @throws DeriveError if the derived value is not allowed. Other values were checked where they are written. */
function checkDerived(input: ModelInput, value: string, point: number): void {
  try {
    checkAllowed(input, value);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new DeriveError(input.name, `${error.message}, in point ${point}`);
  }
}

/** Sets the values of file inputs: the hashes of the files. */
function withFiles(base: Campaign['base'], files: CampaignFile[]): Campaign['base'] {
  return base.map((input) => {
    const file = files.find((candidate) => candidate.input === input.name);
    return file ? { ...input, value: file.hash } : input;
  });
}

async function findModel(cloud: CloudClient, { definition, locate }: ReadDefinition): Promise<Model> {
  const { name } = definition.model;
  try {
    return await cloud.getModelByName(name);
  } catch (error) {
    if (!isCloudError(error) || (error.kind !== 'not-found' && error.kind !== 'refused')) throw error;
  }
  const models = await cloud.listModels();
  const found = models.find((model) => nameKey(model.name) === nameKey(name));
  if (found) return found;
  throw new ForayError('UNKNOWN_MODEL', `The service has no model "${name}".`, {
    place: locate(['model', 'name']),
    hint:
      didYouMean(
        name,
        models.map((model) => model.name),
      ) ?? 'It has no models for this key.',
  });
}

/**
 * Finds the model and the version against which a definition is checked. If one of them is wrong, it throws this
 * mistake together with the mistakes found before.
 */
async function findVersion(
  cloud: CloudClient,
  read: ReadDefinition,
  pinned: Campaign['model'] | undefined,
): Promise<{ model: Model; version: Version }> {
  const found = await read.mistakes.attemptAsync(async () => {
    const model = await findModel(cloud, read);
    return { model, version: await versionOf(cloud, read, model, pinned) };
  });
  if (!found) read.mistakes.throwAny();
  return found!;
}

async function versionOf(
  cloud: CloudClient,
  { definition, locate }: ReadDefinition,
  model: Model,
  pinned: Campaign['model'] | undefined,
): Promise<Version> {
  const wanted = definition.model.version;
  const unknown = (): ForayError =>
    new ForayError('UNKNOWN_MODEL', `The model "${model.name}" has no version ${wanted}.`, {
      place: locate(['model', 'version']),
      hint: `Number of its versions: ${model.modelVersions.length}. "latest" takes the last one.`,
    });
  const latest = pinned?.id === model.id ? pinned.versionId : model.modelVersions.at(-1);
  const id = wanted === 'latest' ? latest : wanted;
  if (id === undefined) throw unknown();
  try {
    if (typeof id === 'number') return await cloud.getVersionByNumber(model.id, id);
    return await cloud.getVersion(model.id, id);
  } catch (error) {
    if (isCloudError(error) && (error.kind === 'not-found' || error.kind === 'refused')) throw unknown();
    throw error;
  }
}
