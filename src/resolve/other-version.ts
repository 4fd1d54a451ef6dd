import type { VersionFile } from '../api/index.ts';
import type { Campaign, ModelVersion } from '../campaign/types.ts';
import { type CloudClient, isCloudError } from '../cloud/index.ts';
import { ForayError } from '../errors.ts';

/** How long the service is asked whether a version takes runs, ms: it is asked before a person is. */
const ASK_MS = 5_000;

/** What to do where the version that is asked for takes no runs. */
export const TAKE_ANOTHER = 'Take a version that does; the newest one mostly does.';

/** What a host says that has no such version. */
function isUnknown(error: unknown): boolean {
  return isCloudError(error) && (error.kind === 'not-found' || error.kind === 'refused');
}

/**
 * The version of its model that a campaign is to go on with, which has to have all that the campaign needs: its inputs and
 * outputs, each of the same type and with the same units.
 *
 * @param wanted the number of the version, or the last one
 * @throws ForayError UNKNOWN_MODEL, CHANGE_REFUSED, VERSION_RETIRED; SERVICE_UNREACHABLE and others of the service
 */
export async function otherVersion(
  cloud: CloudClient,
  campaign: Campaign,
  wanted: number | 'latest',
): Promise<ModelVersion> {
  const { model, base, outputs } = campaign;
  const { modelVersions } = await cloud.getModel(model.id);
  const last = modelVersions.at(-1);
  const unknown = (): ForayError =>
    new ForayError('UNKNOWN_MODEL', `The model "${model.name}" has no version ${wanted}.`, {
      hint: `It has ${modelVersions.length}; "latest" takes the last.`,
    });
  if (last === undefined) throw unknown();
  const asked =
    wanted === 'latest' ? cloud.getVersion(model.id, last) : cloud.getVersionByNumber(model.id, wanted);
  const { id, version, experimentTemplate } = await asked.catch((error: unknown) => {
    throw isUnknown(error) ? unknown() : error;
  });
  const lacks = [
    ...misfits('input', base, experimentTemplate.inputs),
    ...misfits('output', outputs, experimentTemplate.outputs),
  ];
  if (lacks.length > 0) {
    throw new ForayError(
      'CHANGE_REFUSED',
      `Version ${version} of "${model.name}" does not fit the campaign: ${lacks.slice(0, 3).join('; ')}.`,
      { hint: '"foray apply" changes the campaign to a definition for that version.' },
    );
  }
  const found = { versionId: id, version };
  await checkTakesRuns(cloud, { ...campaign, model: { ...model, ...found } }, TAKE_ANOTHER);
  return found;
}

interface Named {
  name: string;
  type: string;
  units: string | null;
}

/** What of one side of the model a version does not have as a campaign needs it. */
function misfits(side: 'input' | 'output', needed: readonly Named[], has: readonly Named[]): string[] {
  return needed.flatMap(({ name, type, units }) => {
    const found = has.find((one) => one.name === name);
    if (!found) return [`it has no ${side} "${name}"`];
    if (found.type !== type) return [`its ${side} "${name}" is ${found.type}, not ${type}`];
    if (found.units !== units)
      return [`its ${side} "${name}" is in ${found.units ?? 'no units'}, not in ${units ?? 'none'}`];
    return [];
  });
}

/**
 * Checks that the version of a campaign takes runs, as far as its service tells: one that does not answer is asked later, by
 * the runs.
 *
 * @param hint what to do where it does not
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
    `Version ${model.version} of "${model.name}" takes no new runs: the model's files have changed, or are gone.`,
    { hint },
  );
}

/** How the files of two versions differ, by their paths. */
export interface FileChanges {
  changed: string[];
  added: string[];
  gone: string[];
}

/** How the files of two versions differ; undefined where the service does not tell. */
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

/** What the service says, or undefined while it says nothing. */
async function quietly<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isCloudError(error) || (error instanceof DOMException && error.name === 'TimeoutError'))
      return undefined;
    throw error;
  }
}
