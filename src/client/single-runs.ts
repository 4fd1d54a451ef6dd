import type { AnimationInfo, OutputDescriptor, RunState } from '../api/index.ts';
import { inputFinder } from '../campaign/find-input.ts';
import { runInputs } from '../campaign/points.ts';
import { versionOf } from '../campaign/versions.ts';
import { canonical } from '../campaign/input-values.ts';
import { type CloudClient, isCloudError, templateOf, valuesOf } from '../cloud/index.ts';
import { ForayError } from '../errors.ts';
import { type ClientContext, recordOf } from './context.ts';
import { modelAtService } from './models.ts';

/** A run that belongs to no campaign. */
export interface SingleRun {
  status: RunState['status'];
  /** Why the run failed; null when it has not failed. */
  reason: string | null;
  /** All outputs of the model version; empty until the run is done. */
  outputs: (Pick<OutputDescriptor, 'name' | 'type' | 'units'> & { value: string })[];
}

export async function requestSingleRun(
  cloud: CloudClient,
  name: string,
  values: Readonly<Record<string, string>>,
): Promise<string> {
  const model = await modelAtService(cloud, name);
  const { version } = model;
  const find = inputFinder(model);
  const given = new Map<string, string>();
  for (const [written, value] of Object.entries(values)) {
    const place = { file: 'inputs', path: written };
    const input = find(written, place);
    given.set(input.name, canonical(input, value, place));
  }
  const inputs = version.experimentTemplate.inputs.map(({ name, type, units, value }) => {
    return { name, type, units, value: given.get(name) ?? value };
  });
  return (await cloud.requestRun(version.id, { experimentType: 'SIMULATION', inputs })).id;
}

/** The state of a run of the newest version of a model. */
export async function singleRun(cloud: CloudClient, name: string, run: string): Promise<SingleRun> {
  const { version } = await modelAtService(cloud, name);
  const { status, message } = await cloud.getProgress(version.id, run);
  const reason = status === 'FAILED' ? cloud.reasonOf(message) : null;
  if (status !== 'COMPLETED') return { status, reason, outputs: [] };
  const { outputs } = version.experimentTemplate;
  const values = valuesOf(await cloud.getRunResults(version.id, run, templateOf(outputs)));
  return {
    status,
    reason,
    outputs: outputs.map(({ name, type, units }) => ({ name, type, units, value: values[name] ?? '' })),
  };
}

export async function animate(
  client: ClientContext,
  id: string,
  key: string,
  replication: number,
): Promise<AnimationInfo> {
  const { campaign } = await recordOf(client, id);
  const point = await client.store.pointStory(id, key, []);
  const run = point?.runs.find((one) => one.replication === replication);
  if (!point || !run)
    throw new ForayError(
      'UNKNOWN_POINT',
      `The campaign "${id}" has no replication ${replication} of a point "${key}".`,
    );
  const inputs = runInputs(campaign, point, replication, run.reseeded);
  const { versionId } = versionOf(campaign, run.version);
  try {
    return await client.cloud.startAnimation(versionId, { experimentType: 'ANIMATION_SVG', inputs });
  } catch (error) {
    if (!isCloudError(error) || (error.kind !== 'refused' && error.kind !== 'not-found')) throw error;
    throw new ForayError(
      'ANIMATION_REFUSED',
      `The model service does not animate this run of "${campaign.model.name}": ${error.message}`,
    );
  }
}
