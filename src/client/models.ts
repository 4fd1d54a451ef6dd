import { type Experiment, type Model, nameKey } from '../api/index.ts';
import type { LimitedVersion } from '../campaign/facts.ts';
import { type CloudClient, isCloudError } from '../cloud/index.ts';
import { noModel, withLimits } from '../resolve/find-version.ts';

/** A model with its newest version, the limits of its inputs, and its stored experiments. */
export interface ModelAtService extends Model {
  version: LimitedVersion;
  experiments: Experiment[];
}

/** Finds a model by its name or id. @throws ForayError UNKNOWN_MODEL */
export async function modelAtService(cloud: CloudClient, wanted: string): Promise<ModelAtService> {
  const model = findModel(await cloud.listModels(), wanted);
  const version = await latestVersion(cloud, model);
  return { ...model, version, experiments: await cloud.listExperiments(version.id) };
}

/** How long {@link serviceAnswers} waits for an answer, ms. */
const SILENCE_MS = 2_000;

/** Whether the service answers. An error is an answer too. */
export async function serviceAnswers(cloud: CloudClient): Promise<boolean> {
  try {
    await cloud.identity(AbortSignal.timeout(SILENCE_MS));
    return true;
  } catch (error) {
    return isCloudError(error) && !['unreachable', 'timeout'].includes(error.kind);
  }
}

/** The newest version of a model, with the limits of its inputs. */
export async function latestVersion(cloud: CloudClient, model: Model): Promise<LimitedVersion> {
  return withLimits(cloud, await cloud.getVersion(model.id, model.modelVersions.at(-1)!));
}

/** @throws ForayError UNKNOWN_MODEL */
export function findModel(models: readonly Model[], wanted: string): Model {
  const key = nameKey(wanted);
  const found = models.find(({ id, name }) => id === key || nameKey(name) === key);
  if (found) return found;
  throw noModel(models, wanted);
}
