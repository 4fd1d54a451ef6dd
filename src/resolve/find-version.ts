import { type Model, nameKey, type Version } from '../api/index.ts';
import type { LimitedVersion, ModelFacts } from '../campaign/facts.ts';
import type { ReadDefinition } from '../campaign/read.ts';
import type { Campaign } from '../campaign/types.ts';
import { type CloudClient, isUnknownThere } from '../cloud/index.ts';
import { ForayError, type Place } from '../errors.ts';
import { UnknownNameError } from '../unknown-name.ts';

/** The model's version against which a definition is checked, and what the service knows about it. */
export interface FoundVersion {
  model: Campaign['model'];
  facts: ModelFacts;
}

/**
 * Finds the model and the version against which a definition is checked. If one of them is wrong, the function throws
 * this mistake together with the mistakes found before.
 *
 * @param pinned - the version that `latest` means in a campaign that has started
 * @throws ForayError UNKNOWN_MODEL with the place in the definition; the errors of the service
 */
export async function findVersion(
  cloud: CloudClient,
  read: ReadDefinition,
  pinned: Campaign['model'] | undefined,
): Promise<FoundVersion> {
  const found = await read.mistakes.attemptAsync(async () => {
    const model = await findModel(cloud, read);
    const latest = pinned?.id === model.id ? pinned.versionId : model.modelVersions.at(-1);
    const wanted = read.definition.model.version;
    return {
      model,
      version: await versionOf(cloud, model, wanted, latest, read.locate(['model', 'version'])),
    };
  });
  if (!found) read.mistakes.throwAny();
  const { model, version } = found!;
  const experiments = read.definition.experiment === undefined ? [] : await cloud.listExperiments(version.id);
  return {
    model: { id: model.id, name: model.name, versionId: version.id, version: version.version },
    facts: { name: model.name, version: await withLimits(cloud, version), experiments },
  };
}

/** A version with the allowed values of its inputs, if the service has them. */
export async function withLimits(cloud: CloudClient, version: Version): Promise<LimitedVersion> {
  const limits = new Map((await cloud.getAllowedValues(version.id)).map((limit) => [limit.name, limit]));
  const { experimentTemplate } = version;
  const inputs = experimentTemplate.inputs.map((input) => ({ ...limits.get(input.name), ...input }));
  return { ...version, experimentTemplate: { ...experimentTemplate, inputs } };
}

async function findModel(cloud: CloudClient, { definition, locate }: ReadDefinition): Promise<Model> {
  const { name } = definition.model;
  try {
    return await cloud.getModelByName(name);
  } catch (error) {
    if (!isUnknownThere(error)) throw error;
  }
  const models = await cloud.listModels();
  const found = models.find((model) => nameKey(model.name) === nameKey(name));
  if (found) return found;
  throw noModel(models, name, locate(['model', 'name']));
}

/** The error for the name of a model that the service does not have. */
export function noModel(models: readonly Model[], name: string, place?: Place): ForayError {
  return new UnknownNameError('UNKNOWN_MODEL', `The service has no model "${name}".`, {
    name,
    known: models.map((model) => model.name),
    place,
    hint: 'It has no models for this key.',
  });
}

/**
 * The version of a model that a person wants.
 *
 * @param wanted - the number or the id of the version, or `latest`
 * @param latest - the id of the version that `latest` means; undefined for a model without versions
 * @param place - where the person wants it
 * @throws ForayError UNKNOWN_MODEL; the errors of the service
 */
export async function versionOf(
  cloud: CloudClient,
  model: Model,
  wanted: number | string,
  latest = model.modelVersions.at(-1),
  place?: Place,
): Promise<Version> {
  const unknown = (): ForayError =>
    new ForayError('UNKNOWN_MODEL', `The model "${model.name}" has no version ${wanted}.`, {
      place,
      hint: `The number of versions of this model is ${model.modelVersions.length}. "latest" takes the last version.`,
    });
  const id = wanted === 'latest' ? latest : wanted;
  if (id === undefined) throw unknown();
  try {
    if (typeof id === 'number') return await cloud.getVersionByNumber(model.id, id);
    return await cloud.getVersion(model.id, id);
  } catch (error) {
    throw isUnknownThere(error) ? unknown() : error;
  }
}
