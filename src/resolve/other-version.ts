import type { VersionFile } from '../api/index.ts';
import type { Campaign, ModelVersion } from '../campaign/types.ts';
import { type CloudClient, isCloudError } from '../cloud/index.ts';
import { ForayError } from '../errors.ts';
import { versionOf } from './find-version.ts';

/** The longest wait for the service's facts about a version, ms. A person waits for the answer. */
const ASK_MS = 5_000;

/** The hint if a requested version takes no runs. */
export const TAKE_ANOTHER = 'Choose a version that takes runs. The newest version usually does.';

/**
 * Finds the version of the model with which a person wants to continue a campaign. It must have all inputs and outputs
 * of the campaign, each with the same type and units.
 *
 * @param wanted - the number of the version, or `latest`
 * @throws ForayError UNKNOWN_MODEL, CHANGE_REFUSED, VERSION_RETIRED; SERVICE_UNREACHABLE and other errors of the
 * service
 */
export async function otherVersion(
  cloud: CloudClient,
  campaign: Campaign,
  wanted: number | 'latest',
): Promise<ModelVersion> {
  const { model, base, outputs } = campaign;
  const modelNow = await cloud.getModel(model.id);
  const { id, version, experimentTemplate } = await versionOf(cloud, modelNow, wanted);
  const misfits = [
    ...mismatches('input', base, experimentTemplate.inputs),
    ...mismatches('output', outputs, experimentTemplate.outputs),
  ];
  if (misfits.length > 0) {
    throw new ForayError(
      'CHANGE_REFUSED',
      `Version ${version} of "${model.name}" does not fit the campaign: ${misfits.slice(0, 3).join('; ')}.`,
      { hint: '"foray apply" changes the campaign to a definition for that version.' },
    );
  }
  const other = { versionId: id, version };
  await checkTakesRuns(cloud, { ...campaign, model: { ...model, ...other } }, TAKE_ANOTHER);
  return other;
}

interface Named {
  name: string;
  type: string;
  units: string | null;
}

/**
 * Describes the inputs or outputs that the campaign needs but the version does not have with the same type and units.
 */
function mismatches(side: 'input' | 'output', needed: readonly Named[], has: readonly Named[]): string[] {
  return needed.flatMap(({ name, type, units }) => {
    const found = has.find((one) => one.name === name);
    if (!found) return [`it has no ${side} "${name}"`];
    if (found.type !== type) return [`its ${side} "${name}" is ${found.type}, not ${type}`];
    if (found.units !== units)
      return [`its ${side} "${name}" is ${unitsText(found.units)}, not ${unitsText(units)}`];
    return [];
  });
}

function unitsText(units: string | null): string {
  return units === null ? 'without units' : `in ${units}`;
}

/**
 * Checks that the version of a campaign takes runs. It is not an error here if the service does not answer, because the
 * requests for runs will fail if the version takes no runs.
 *
 * @param hint - the hint of the error
 * @throws ForayError VERSION_RETIRED
 */
export async function checkTakesRuns(
  cloud: CloudClient,
  { id, model }: Pick<Campaign, 'id' | 'model'>,
  hint = `"foray retry ${id} --version latest" requests the runs with the newest version.`,
): Promise<void> {
  const code = await quietly(cloud.getVersionCode(model.versionId, AbortSignal.timeout(ASK_MS)));
  if (!code?.retired) return;
  throw new ForayError(
    'VERSION_RETIRED',
    `Version ${model.version} of "${model.name}" takes no new runs: ${code.reason ?? "the model's files have changed, or are gone"}.`,
    { hint },
  );
}

/** Whether the model has a newer version than a campaign uses; false if the service does not answer. */
export async function hasNewerVersion(
  cloud: CloudClient,
  { model }: Pick<Campaign, 'model'>,
): Promise<boolean> {
  const found = await quietly(cloud.getModel(model.id, AbortSignal.timeout(ASK_MS)));
  return found !== undefined && found.modelVersions.at(-1) !== model.versionId;
}

/** How the files of two versions differ, by their paths. */
export interface FileChanges {
  changed: string[];
  added: string[];
  gone: string[];
}

/** How the files of two versions differ; undefined if the service does not say. */
export async function fileChanges(
  cloud: CloudClient,
  from: ModelVersion,
  to: ModelVersion,
): Promise<FileChanges | undefined> {
  const [before, after] = await Promise.all(
    [from, to].map(async ({ versionId }) => (await quietly(cloud.getVersionCode(versionId)))?.files),
  );
  return before && after ? differing(before, after) : undefined;
}

function differing(before: readonly VersionFile[], after: readonly VersionFile[]): FileChanges {
  const hashes = new Map(before.map(({ path, sha256 }) => [path, sha256]));
  const paths = new Set(after.map(({ path }) => path));
  return {
    changed: after.flatMap(({ path, sha256 }) =>
      hashes.has(path) && hashes.get(path) !== sha256 ? [path] : [],
    ),
    added: after.flatMap(({ path }) => (hashes.has(path) ? [] : [path])),
    gone: before.flatMap(({ path }) => (paths.has(path) ? [] : [path])),
  };
}

/** The answer of the service; undefined if it does not answer in time, or answers with an error. */
async function quietly<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isCloudError(error) || (error instanceof DOMException && error.name === 'TimeoutError'))
      return undefined;
    throw error;
  }
}
