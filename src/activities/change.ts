import { batches } from '../batched.ts';
import {
  asChangeOf,
  changed,
  checkChange,
  type Difference,
  relaid,
  wholeDifference,
} from '../campaign/change.ts';
import { filesOf } from '../campaign/designs/index.ts';
import { decidingOutputs } from '../campaign/measures.ts';
import { precisionProgress } from '../campaign/draws.ts';
import { stageOf } from '../campaign/search/log.ts';
import { hasStrategy, steps } from '../campaign/strategy.ts';
import type { Campaign, CampaignBy, ModelVersion } from '../campaign/types.ts';
import { versionsWith } from '../campaign/versions.ts';
import { isCloudError } from '../cloud/index.ts';
import { errorCodes } from '../error-codes.ts';
import { ForayError, isForayError, type Place } from '../errors.ts';
import {
  checkTakesRuns,
  type DefinitionFiles,
  otherVersion,
  resolveDefinition,
  TAKE_ANOTHER,
} from '../resolve/index.ts';
import { changeOf, checkMayChange, judgedAgain } from '../search/change.ts';
import type { FinishedRun } from '../search/point-value.ts';
import type { CampaignRecord, Store } from '../store/index.ts';
import { completeFiles, completeOutputs } from './complete.ts';
import { contentsOf, expanded, prepare, uploadFiles } from './prepare.ts';
import { checkNotices } from './notify.ts';
import { replicateAll } from './replicate.ts';
import type { ChangeAnswer, ChangeRequest, KnownFiles, World } from './types.ts';

/** The file name in errors about a definition that came with a message. */
const MESSAGE = '<definition>';
const POINTS_A_READ = 1_000;
/** The maximum number of mistakes that a refusal lists. */
const MOST_MISTAKES = 5;

/**
 * Changes a campaign in the store at a person's request. A refused change does not change the campaign. A service that
 * does not answer is not a refusal: the activity is retried.
 */
export async function change(
  world: World,
  record: CampaignRecord,
  { request, goesOn }: { request: ChangeRequest; goesOn: boolean },
  signal: AbortSignal,
): Promise<ChangeAnswer> {
  const { store } = world;
  const { id } = record.campaign;
  const now = world.now();
  let accepted: Accepted;
  try {
    // the campaign was closed before its design was expanded
    if (goesOn && record.points === 0) await prepare(world, record, signal);
    accepted =
      'retry' in request
        ? await acceptRetry(world, record, request)
        : await redefine(world, record, request, now, signal);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { refused: linesOf(error), code: error.code };
  }
  const { campaign, model, difference } = accepted;
  const isOther = model.version !== campaign.model.version;
  // "missing" runs were never requested, so none of them has failed
  const forgives = 'retry' in request ? request.retry !== 'missing' : isOther;
  const cause = 'retry' in request && typeof request.retry === 'object' ? request.retry.cause : undefined;
  const { attempts } = campaign;
  // with another version a run keeps its seed, so that only the model differs
  const reseeds = attempts.seed === 'new' && attempts.count > 1 && !isOther;
  const forgiven = forgives ? await store.resetFailed(id, reseeds, now, cause) : 0;
  if (isOther) await store.setVersions(id, versionsWith(campaign, model), now);
  if (goesOn) await store.reopen(id, now);
  await replicateAll(store, campaign);
  const { concurrency, failures, timeouts, notify } = campaign;
  return {
    points: (await store.getCampaign(id))!.points,
    counts: await store.counts(id),
    settings: { concurrency, failures, timeouts, notify },
    forgiven,
    precision: await precisionProgress(campaign, store),
    step: steps[campaign.strategy.by],
    isDecided: stageOf(await store.searchLog(id)) === 'over',
    difference,
  };
}

/** A campaign after a change. It keeps its version of the model; `model` is the version to continue with. */
interface Accepted {
  campaign: Campaign;
  model: ModelVersion;
  /** Null for a retry. */
  difference: Difference | null;
}

async function acceptRetry(
  { cloud, store }: World,
  { campaign }: CampaignRecord,
  { version }: Extract<ChangeRequest, { retry: unknown }>,
): Promise<Accepted> {
  if (version !== undefined)
    return { campaign, model: await otherVersion(cloud, campaign, version), difference: null };
  const { failed, waiting } = await store.counts(campaign.id);
  if (failed + waiting > 0) await checkTakesRuns(cloud, campaign);
  return { campaign, model: campaign.model, difference: null };
}

/** Changes the definition of a campaign in the store. */
async function redefine(
  world: World,
  record: CampaignRecord,
  request: Extract<ChangeRequest, { apply: unknown }>,
  now: number,
  signal: AbortSignal,
): Promise<Accepted> {
  const { store } = world;
  const { campaign: before } = record;
  const after = await resolved(world, record, request);
  const { model } = after.campaign;
  checkNotices(world, after.campaign);
  await uploadFiles(world, after.campaign, signal);
  const { points, campaign: counted } = await expanded(store, after.campaign, signal);
  // the version changes last, so that a repeated activity still sees that this is a change to another version
  const campaign = { ...counted, model: before.model };
  const changedPoints =
    hasStrategy(before, 'search') && hasStrategy(campaign, 'search')
      ? await changeSearch(store, { ...record, campaign: before }, { ...after, campaign }, now)
      : await store.changeCampaign({ ...after, campaign }, points, relaid(before, after.campaign), now);
  await completeOutputs(world, campaign, signal);
  await completeFiles(world, campaign, signal);
  return { campaign, model, difference: wholeDifference(changedPoints, before, after.campaign) };
}

/**
 * Gives a search other settings, bounds or requirements, and adds this change to the log of the search. The points of
 * the search stay.
 */
async function changeSearch(
  store: Store,
  before: CampaignRecord & { campaign: CampaignBy<'search'> },
  after: Pick<CampaignRecord, 'definition' | 'digest'> & { campaign: CampaignBy<'search'> },
  now: number,
): Promise<Difference['points']> {
  const { id } = before.campaign;
  for (;;) {
    const length = await store.searchLength(id);
    const { asks, events } = await store.searchLog(id);
    checkMayChange(events);
    const ordinals = judgedAgain(before.campaign, after.campaign, asks);
    const names = decidingOutputs(after.campaign);
    const finished = new Map<number, readonly FinishedRun[]>();
    for (const batch of batches(ordinals, POINTS_A_READ))
      for (const { ordinal, runs } of await store.finishedAt(id, batch, names)) finished.set(ordinal, runs);
    const event = changeOf(before.campaign, after.campaign, asks, finished);
    // if another activity has written a step meanwhile, the change is made again after that step
    if (await store.changeSearch(after, { length, event }, now))
      return { added: 0, dropped: 0, kept: before.points };
  }
}

/**
 * Whether an error is an answer: a mistake in the change that a person can correct. Other errors end this attempt of the
 * activity. A fault of the store may come after the campaign was changed, so it is never a refusal. An error that the
 * service would repeat is a refusal, because a change that cannot be made must not end or hold the campaign.
 */
export function isRefusal(error: unknown): error is ForayError {
  if (isCloudError(error)) return error.isFinal;
  if (!isForayError(error)) return false;
  return error.code !== 'STORE_UNUSABLE' && error.code !== 'STORE_NEWER' && errorCodes[error.code].exit === 2;
}

function linesOf(error: ForayError): string {
  return [error, ...error.others.slice(0, MOST_MISTAKES - 1)].map((one) => one.toLine()).join('\n');
}

/** The campaign that a changed definition makes of this campaign. Changes nothing. */
async function resolved(
  { cloud, store }: World,
  { campaign }: CampaignRecord,
  {
    apply: definition,
    files = { inputs: [], varied: campaign.variedFiles ?? [], points: {} },
  }: Extract<ChangeRequest, { apply: unknown }>,
): Promise<Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'>> {
  const text = typeof definition === 'string' ? definition : JSON.stringify(definition, undefined, 2);
  const source = { text, file: MESSAGE };
  const after = await resolveDefinition(cloud, source, filesKnown(store, campaign, files), campaign.model);
  const wanted = asChangeOf(campaign, after.campaign);
  checkChange(campaign, wanted);
  if (wanted.model.versionId !== campaign.model.versionId) await checkTakesRuns(cloud, wanted, TAKE_ANOTHER);
  return { campaign: changed(campaign, wanted), definition: text, digest: after.digest };
}

/**
 * The files that a changed definition may name: those that came with the message, and those of the campaign. The worker
 * opens no path from the definition.
 */
function filesKnown(store: Store, campaign: Campaign, files: KnownFiles): DefinitionFiles {
  const unknown = (path: string, place: Place): ForayError =>
    new ForayError('CHANGE_REFUSED', `The campaign has no file "${path}".`, {
      place,
      hint: '"foray apply" sends all files that the definition names.',
    });
  return {
    find: (wanted) => {
      const known = [...files.inputs, ...campaign.files];
      const hashOf = ({ input, path }: { input: string; path: string }): string | undefined =>
        known.find((file) => file.input === input && file.path === path)?.hash;
      const lacking = wanted.find((one) => hashOf(one) === undefined);
      if (lacking) return Promise.reject(unknown(lacking.path, lacking.place));
      return Promise.resolve(wanted.map((one) => ({ ...one, hash: hashOf(one)! })));
    },
    // these are all files, also those that rows of point files name
    findVaried: (wanted) => {
      const lacking = wanted.find(
        ({ input, path }) => !files.varied.some((file) => file.input === input && file.path === path),
      );
      if (lacking) return Promise.reject(unknown(lacking.path, lacking.place));
      return Promise.resolve(files.varied.map((file) => ({ ...file, place: { file: MESSAGE, path: '' } })));
    },
    findPoints: (path, place) => {
      const known = filesOf(campaign.design).find((file) => file.path === path);
      const file = Object.hasOwn(files.points, path) ? files.points[path] : known;
      if (!file) return Promise.reject(unknown(path, place));
      // definitions are compared as JSON, so the order of these keys is the same as in `readPointsFile`
      const { inputs, hash, count, repeats } = file;
      return Promise.resolve({ inputs, hash, count, ...(repeats !== undefined && { repeats }) });
    },
    // a change keeps the program of an outside optimiser
    findProgram: () => {
      const method = hasStrategy(campaign, 'search') ? campaign.strategy.method : undefined;
      return Promise.resolve({ folder: '', files: typeof method === 'object' ? method.files : {} });
    },
    contentsOf: (design) => contentsOf(store, { design }),
  };
}
