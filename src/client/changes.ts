import { checkChange, type Difference, difference, settingsDifference } from '../campaign/change.ts';
import { filesOf } from '../campaign/designs/design.ts';
import { type Campaign, closedPhases } from '../campaign/types.ts';
import {
  checkTakesRuns,
  type DefinitionSource,
  type FileChanges,
  fileChanges,
  otherVersion,
  TAKE_ANOTHER,
  textOf,
} from '../resolve/index.ts';
import type { CampaignRecord } from '../store/index.ts';
import type { RetryWhat } from '../workflows/messages.ts';
import { checkCampaign } from './check.ts';
import { type ClientContext, recordOf } from './context.ts';
import { applyReason, retryReason } from './reasons.ts';
import { type Change, changeCampaign } from './temporal/change.ts';

/** How a retry or a changed definition changed a campaign. */
export interface CampaignChange {
  /** Of a changed definition. */
  difference: Difference | null;
  /** Failed runs that are requested again. */
  forgiven: number;
  /** Runs that have not finished. */
  open: number;
  /** True when the campaign was closed and runs again. */
  wasClosed: boolean;
}

/** How failed and missing runs are requested again. */
export interface RetryOptions {
  /** The model version that is requested from now on. @default the campaign's */
  version?: number | 'latest' | undefined;
}

/** What a retry would do. */
export interface RetryPlan {
  /** Failed runs that are requested again. */
  failed: number;
  /** Runs that were never requested. They are requested once the campaign goes on. */
  missing: number;
  /** Completed and requested runs. They keep their version. */
  others: number;
  /** The other model version, and the files that differ in it if the service tells; null when the version stays. */
  version: { from: number; to: number; files: FileChanges | null } | null;
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
  const failed = what === 'missing' ? 0 : counts.failed;
  const missing = what === 'failed' && isClosed ? 0 : counts.waiting;
  const others = counts.done + counts.running + counts.queued;
  if (wanted === undefined) {
    if (failed + missing > 0) await checkTakesRuns(client.cloud, campaign);
    return { failed, missing, others, version: null };
  }
  const to = await otherVersion(client.cloud, campaign, wanted);
  const from = campaign.model;
  if (to.version === from.version) return { failed, missing, others, version: null };
  const files = (await fileChanges(client.cloud, from, to)) ?? null;
  return { failed, missing, others, version: { from: from.version, to: to.version, files } };
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
  if (closedPhases.includes(record.phase) && record.points > 0 && failed + missing === 0)
    return { difference: null, forgiven: 0, open: 0, wasClosed: false };
  const made = await change(client, record, { retry: what, version: version?.to }, retryReason(plan));
  // a closed campaign goes on with its failed runs only
  return what === 'failed' && made.wasClosed ? { ...made, open: made.forgiven } : made;
}

export async function compare(
  client: ClientContext,
  id: string,
  source: DefinitionSource,
): Promise<Difference> {
  const record = await recordOf(client, id);
  const { before, after, contents: given } = await checkedChange(client, record, source);
  const contents = new Map(given);
  for (const { hash } of filesOf(before.design)) contents.set(hash, (await client.store.getFile(hash))!);
  return difference(before, after, contents);
}

export async function apply(
  client: ClientContext,
  id: string,
  source: DefinitionSource,
): Promise<CampaignChange> {
  const record = await recordOf(client, id);
  const { before, after, contents, ...checked } = await checkedChange(client, record, source);
  for (const [hash, content] of contents) await client.store.putFile(hash, content, Date.now());
  const points = { from: record.points, to: checked.points };
  const files = { inputs: after.files, points: checked.pointFiles };
  const reason = applyReason(points, settingsDifference(before, after));
  return change(client, record, { apply: textOf(source), files }, reason);
}

/** A campaign before and after a change to a definition, which was checked to be allowed. */
async function checkedChange(
  client: ClientContext,
  { campaign: before }: CampaignRecord,
  source: DefinitionSource,
) {
  const { campaign, ...checked } = await checkCampaign(client.cloud, source, before.model);
  const { id, service, serviceId, versions } = before;
  const after: Campaign = { ...campaign, id, service, serviceId, versions };
  checkChange(before, after);
  if (after.model.versionId !== before.model.versionId)
    await checkTakesRuns(client.cloud, after, TAKE_ANOTHER);
  return { before, after, ...checked };
}

async function change(
  client: ClientContext,
  record: CampaignRecord,
  request: Change,
  reason: string,
): Promise<CampaignChange> {
  const { difference, forgiven, counts } = await changeCampaign(
    client.temporal,
    record,
    client.store.id,
    request,
    reason,
  );
  const open = counts.total - counts.done - counts.failed;
  return { difference, forgiven, open, wasClosed: closedPhases.includes(record.phase) };
}
