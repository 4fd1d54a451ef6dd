import { createHash } from 'node:crypto';
import { nameKey, type Model, type Version } from '../api/index.ts';
import { checkDefinition } from '../campaign/check.ts';
import { type ReadDefinition, readDefinition } from '../campaign/read.ts';
import { didYouMean } from '../suggest.ts';
import type { Campaign, CampaignFile } from '../campaign/types.ts';
import { type CloudClient, isCloudError } from '../cloud/index.ts';
import { ForayError } from '../errors.ts';

/** A definition as a person hands it in: its text, and the name of its file, against which paths in it are read. */
export interface DefinitionSource {
  text: string;
  file: string;
}

/** A definition that was resolved against the model's version. */
export interface ResolvedDefinition {
  campaign: Omit<Campaign, 'id' | 'service'>;
  /** Tells two definitions apart by what they mean, not by how they are written. */
  digest: string;
}

/** Finds the files that a definition names by input: what they hold is known under their hash. */
export type FindFiles = (read: ReadDefinition, paths: Record<string, string>) => Promise<CampaignFile[]>;

/**
 * Reads a definition and checks all of it against the model's version at the service. Nothing is written or started.
 *
 * @param pinned the version that `latest` is to mean, of a campaign that has begun
 * @throws ForayError with the place in the definition
 */
export async function resolveDefinition(
  cloud: CloudClient,
  source: DefinitionSource,
  findFiles: FindFiles,
  pinned?: Campaign['model'],
): Promise<ResolvedDefinition> {
  const read = readDefinition(source.text, source.file);
  const model = await findModel(cloud, read);
  const version = await findVersion(cloud, read, model, pinned);
  const experiments = read.definition.experiment === undefined ? [] : await cloud.listExperiments(version.id);
  const { files: paths, ...checked } = checkDefinition(read, { name: model.name, version, experiments });
  const files = await findFiles(read, paths);
  const campaign = {
    ...checked,
    base: withFiles(checked.base, files),
    files,
    model: { id: model.id, name: model.name, versionId: version.id, version: version.version },
  };
  const digest = createHash('sha256').update(JSON.stringify(campaign)).digest('hex');
  return { campaign, digest };
}

/** The value of a file input is the file's hash. */
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
      ) ?? 'It has none at all for this key.',
  });
}

async function findVersion(
  cloud: CloudClient,
  { definition, locate }: ReadDefinition,
  model: Model,
  pinned: Campaign['model'] | undefined,
): Promise<Version> {
  const wanted = definition.model.version;
  const unknown = (): ForayError =>
    new ForayError('UNKNOWN_MODEL', `The model "${model.name}" has no version ${wanted}.`, {
      place: locate(['model', 'version']),
      hint: `It has ${model.modelVersions.length}; "latest" takes the last.`,
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
