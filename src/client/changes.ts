import {
  asChangeOf,
  checkChange,
  type Difference,
  difference,
  settingsDifference,
  wholeDifference,
} from '../campaign/change.ts';
import { causeOf } from '../campaign/failures.ts';
import { filesOf } from '../campaign/designs/index.ts';
import { type DefinitionSource, textOf } from '../campaign/source.ts';
import { findsPoints } from '../campaign/strategy.ts';
import { keptStrategy } from '../campaign/strategy-rules.ts';
import { closedPhases } from '../campaign/types.ts';
import {
  checkTakesRuns,
  hasNewerVersion,
  type FileChanges,
  fileChanges,
  otherVersion,
  TAKE_ANOTHER,
} from '../resolve/index.ts';
import { ForayError } from '../errors.ts';
import { checkMayChange } from '../search/change.ts';
import type { CampaignRecord } from '../store/index.ts';
import { isTooLong, LONGEST_DEFINITION, type RetryWhat } from '../workflows/messages.ts';
import { checkCampaign } from './check.ts';
import { type ClientContext, recordOf } from './context.ts';
import { failedRuns } from './reader.ts';
import type { Change } from './temporal/index.ts';

/** How a retry or a changed definition changed a campaign. */
export interface CampaignChange {
  /** How the definition differs from the old one; null for a retry. */
  difference: Difference | null;
  /** The number of failed runs that are requested again. */
  forgiven: number;
  /** The number of runs that have not finished. */
  open: number;
  /** True when the campaign was closed and runs again. */
  wasClosed: boolean;
}

/** Options of a retry. */
export interface RetryOptions {
  /** The model version that runs are requested with from now on. @default the version of the campaign */
  version?: number | 'latest' | undefined;
  /** A text that the notes of the campaign keep. */
  reason?: string | undefined;
  /** How long to wait for a worker that has taken up the change, ms. @default as long as it takes */
  withinMs?: number | undefined;
}

/** What a retry would do. */
export interface RetryPlan {
  /** The number of failed runs that are requested again. */
  failed: number;
  /** The number of runs that wait for a request; 0 if a closed campaign requests only its failed runs again. */
  missing: number;
  /** The number of completed and requested runs. They keep their version. */
  others: number;
  /**
   * The old and the new model version, and the files that differ. Null if the version stays. `files` is null if the
   * service does not list files.
   */
  version: { from: number; to: number; files: FileChanges | null } | null;
  /**
   * Whether the model has a newer version than the campaign uses. False if the caller named a version, or if there is
   * nothing to retry.
   */
  isOutdated: boolean;
}

export async function planRetry(
  client: ClientContext,
  id: string,
  what: RetryWhat = 'all',
  { version: wanted }: RetryOptions = {},
): Promise<RetryPlan> {
  const { campaign, phase } = await recordOf(client, id);
  const counts = await client.store.counts(id);
  const isClosed = closedPhases.includes(phase);
  const failed = await countFailed(client, id, what, counts.failed);
  const missing = isFailedOnly(what) && isClosed ? 0 : counts.waiting;
  const others = counts.done + counts.running + counts.queued;
  const plan = { failed, missing, others, version: null, isOutdated: false };
  if (wanted === undefined) {
    if (failed + missing === 0) return plan;
    await checkTakesRuns(client.cloud, campaign);
    return { ...plan, isOutdated: await hasNewerVersion(client.cloud, campaign) };
  }
  const to = await otherVersion(client.cloud, campaign, wanted);
  const from = campaign.model;
  if (to.version === from.version) return plan;
  const files = (await fileChanges(client.cloud, from, to)) ?? null;
  return { ...plan, version: { from: from.version, to: to.version, files } };
}

/**
 * Counts the failed runs that a retry requests again.
 * @param all - the number of all failed runs
 * @throws ForayError UNKNOWN_CAUSE
 */
async function countFailed(client: ClientContext, id: string, what: RetryWhat, all: number): Promise<number> {
  if (typeof what === 'string') return what === 'missing' ? 0 : all;
  let count = 0;
  for await (const { reason } of failedRuns(client, id)) if (causeOf(reason ?? '') === what.cause) count += 1;
  if (count > 0) return count;
  throw new ForayError('UNKNOWN_CAUSE', `No failed run of "${id}" has the cause "${what.cause}".`, {
    hint: `"foray status ${id} --failures" lists the causes.`,
  });
}

function isFailedOnly(what: RetryWhat): boolean {
  return what === 'failed' || typeof what === 'object';
}

export async function retry(
  client: ClientContext,
  id: string,
  what: RetryWhat = 'all',
  options: RetryOptions = {},
): Promise<CampaignChange> {
  const record = await recordOf(client, id);
  const plan = await planRetry(client, id, what, options);
  const { failed, missing, version } = plan;
  // a retry also expands the design of a closed campaign that has no points yet
  if (closedPhases.includes(record.phase) && record.points > 0 && failed + missing === 0)
    return { difference: null, forgiven: 0, open: 0, wasClosed: false };
  const request = { retry: what, version: version?.to, reason: options.reason };
  const made = await change(client, record, request, retryReason(plan), options.withinMs);
  // a closed campaign that retries only failed runs has no other open runs
  return isFailedOnly(what) && made.wasClosed ? { ...made, open: made.forgiven } : made;
}

export async function compare(
  client: ClientContext,
  id: string,
  source: DefinitionSource,
): Promise<Difference> {
  const record = await recordOf(client, id);
  const { before, after, contents: given } = await checkedChange(client, record, source);
  // the campaign keeps the points that it has found, and the definition names none
  if (findsPoints(before))
    return wholeDifference({ added: 0, dropped: 0, kept: record.points }, before, after);
  const contents = new Map(given);
  for (const { hash } of filesOf(before.design)) contents.set(hash, (await client.store.getFile(hash))!);
  return difference(before, after, contents);
}

/** A change that was checked. The files that it needs are in the store. */
export interface PreparedChange {
  request: Change;
  /** Why a new workflow starts. */
  summary: string;
}

/** Reads and checks a definition, which takes CPU time. {@link sendChange} only waits for a worker. */
export async function prepareChange(
  client: ClientContext,
  id: string,
  source: DefinitionSource,
  reason?: string,
): Promise<PreparedChange> {
  const record = await recordOf(client, id);
  const { before, after, contents, ...checked } = await checkedChange(client, record, source);
  for (const [hash, content] of contents) await client.store.putFile(hash, content, Date.now());
  const points = { from: record.points, to: findsPoints(after) ? record.points : checked.points };
  const files = { inputs: after.files, varied: after.variedFiles ?? [], points: checked.pointFiles };
  const summary = applyReason(points, settingsDifference(before, after));
  return { request: { apply: textOf(source), files, reason }, summary };
}

export async function sendChange(
  client: ClientContext,
  id: string,
  { request, summary }: PreparedChange,
  withinMs?: number,
): Promise<CampaignChange> {
  return change(client, await recordOf(client, id), request, summary, withinMs);
}

/** Checks that a campaign may change to a definition. Returns the campaign before and after the change. */
async function checkedChange(
  client: ClientContext,
  { campaign: before }: CampaignRecord,
  source: DefinitionSource,
) {
  if (isTooLong(textOf(source)))
    throw new ForayError(
      'CHANGE_REFUSED',
      `The definition of a change may have at most ${LONGEST_DEFINITION.toLocaleString('en-US')} characters, as JSON.`,
      { hint: 'Put the points of a large design into a point file.' },
    );
  const { campaign, ...checked } = await checkCampaign(client.cloud, source, before.model);
  const asked = asChangeOf(before, campaign);
  // this comes before `keptStrategy`, which would hide a change that is refused
  checkChange(before, asked);
  const after = keptStrategy(before, asked);
  if (findsPoints(before)) checkMayChange((await client.store.searchLog(before.id)).events);
  if (after.model.versionId !== before.model.versionId)
    await checkTakesRuns(client.cloud, after, TAKE_ANOTHER);
  return { before, after, ...checked };
}

async function change(
  client: ClientContext,
  record: CampaignRecord,
  request: Change,
  reason: string,
  withinMs: number | undefined,
): Promise<CampaignChange> {
  const { difference, forgiven, counts } = await client.temporal.call(
    'changeCampaign',
    record,
    client.store.id,
    request,
    reason,
    withinMs,
  );
  const open = counts.total - counts.done - counts.failed;
  return { difference, forgiven, open, wasClosed: closedPhases.includes(record.phase) };
}

/** Says what a retry requests again. People read this text in Temporal's list of workflows. */
export function retryReason({
  failed,
  missing,
  version,
}: {
  failed: number;
  missing: number;
  version: { to: number } | null;
}): string {
  const runs = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(missing > 0 ? [`${missing} waiting`] : []),
  ].join(' and ');
  const what = runs === '' ? 'retry' : `retry of ${runs} ${failed + missing === 1 ? 'run' : 'runs'}`;
  return version ? `${what} with version ${version.to}` : what;
}

/**
 * Says what an applied definition changes. About the points, the text has only their numbers before and after the
 * change, because foray knows the new points only after the change.
 *
 * @param points - the numbers of points before and after the change
 */
function applyReason(
  points: { from: number; to: number },
  { replications, outputs, settings, version }: Omit<Difference, 'points'>,
): string {
  const changes = [
    `points ${points.from} → ${points.to}`,
    ...(replications.from === replications.to
      ? []
      : [`replications ${replications.from} → ${replications.to}`]),
    ...(outputs.added.length + outputs.dropped.length === 0 ? [] : ['outputs']),
    ...settings,
    ...(version ? [`version ${version.from} → ${version.to}`] : []),
  ];
  return `apply of a definition: ${changes.join(', ')}`;
}
