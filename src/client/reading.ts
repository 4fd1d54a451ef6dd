import { setTimeout as delay } from 'node:timers/promises';
import { RunMessage } from '../api/resources.ts';
import type { Batched } from '../batched.ts';
import { addCauses, causeOf } from '../campaign/failures.ts';
import { decidingOutputs } from '../campaign/measures.ts';
import { closedPhases, type FailureCause } from '../campaign/types.ts';
import { versionOf } from '../campaign/versions.ts';
import { ForayError } from '../errors.ts';
import {
  campaignDeleted,
  type CampaignRecord,
  type PointStory,
  type ResultCursor,
  type ResultPlace,
  type ResultRow,
  type StoredLog,
} from '../store/index.ts';
import { type ClientContext, recordOf } from './context.ts';
import { type Explanation, explained } from './explain.ts';
import { followResults } from './follow-results.ts';
import { findsPoints } from '../campaign/strategy.ts';
import { leakIn } from './leak.ts';
import { rowsOf } from './strategies.ts';
import { type CampaignStatus, isClosed, statusFromStore, statusFromWorkflow } from './status.ts';

/** Maximum number of failed runs that are read at once. */
const ROWS = 1_000;
/** The longest time to wait for the service's words about a run, ms. */
const SOON_MS = 1_000;
/** Maximum number of runs that the service is asked about. */
const MOST_ASKED = 5;

/** Failed runs of one cause. */
export interface FailureGroup extends FailureCause {
  /** The log of one of the runs; null when no log is stored. */
  log: StoredLog | null;
}

/** Runs that have finished since the previous call, and the cursor for the next call. */
export interface RecentRows {
  rows: ResultRow[];
  look: ResultCursor;
}

export async function status(client: ClientContext, id: string): Promise<CampaignStatus> {
  const record = await recordOf(client, id);
  if (closedPhases.includes(record.phase))
    return statusFromStore(client.store, record, await leakIn(client, record));
  const { progress, build, why, blocks } = await client.temporal.progressOf(record);
  const [note, blocked] = blocks ? ['', why] : [why, undefined];
  if (!progress)
    return statusFromStore(client.store, await stillThere(client, record), note, { blocked, build });
  const waits = progress.rate === 0 ? await whyWaiting(client, record) : '';
  const remark = [note, waits, await leakIn(client, record)].filter(Boolean).join('; ');
  return statusFromWorkflow(client.store, record, progress, {
    note: remark,
    blocked,
    build,
    now: Date.now(),
  });
}

export async function storedStatus(client: ClientContext, id: string): Promise<CampaignStatus> {
  return statusFromStore(client.store, await recordOf(client, id), '');
}

/** Why the service has not executed the first open run of a campaign so far; empty if there is no such reason. */
async function whyWaiting(client: ClientContext, { campaign }: CampaignRecord): Promise<string> {
  const run = (await client.store.openRuns(campaign.id)).find(({ runId }) => runId !== null);
  if (!run) return '';
  const reason = await reasonAtService(client, versionOf(campaign, run.version).versionId, run.runId!);
  return reason === null ? '' : `a run waits at the service: ${reason}`;
}

/** What the service says about an open run; null if it says nothing, or does not answer soon. */
async function reasonAtService(
  client: ClientContext,
  version: string,
  runId: string,
): Promise<string | null> {
  try {
    const { message } = await client.cloud.getProgress(version, runId, AbortSignal.timeout(SOON_MS));
    return RunMessage.parse(JSON.parse(message ?? '')).title;
  } catch {
    return null;
  }
}

export async function list(client: ClientContext): Promise<CampaignStatus[]> {
  const [records, whys] = await Promise.all([client.store.listCampaigns(), blocked(client)]);
  return Promise.all(
    records.map((record) =>
      statusFromStore(client.store, record, '', { blocked: whys.get(record.campaign.id) }),
    ),
  );
}

export async function blocked(client: ClientContext): Promise<Map<string, string>> {
  const records = await client.store.listCampaigns();
  const open = records.filter(({ phase }) => !closedPhases.includes(phase));
  const whys = await Promise.all(
    open.map(async (record) => [record.campaign.id, await client.temporal.blockedBy(record)] as const),
  );
  return new Map(whys.flatMap(([id, why]) => (why === undefined ? [] : [[id, why] as const])));
}

/**
 * The record of a campaign that was read before. Another campaign may have the id of a deleted campaign.
 * @throws ForayError UNKNOWN_CAMPAIGN
 */
async function stillThere(
  client: ClientContext,
  { campaign: { id }, createdAt }: CampaignRecord,
): Promise<CampaignRecord> {
  const now = await client.store.getCampaign(id);
  if (now?.createdAt === createdAt) return now;
  throw campaignDeleted(id);
}

/** While at most `seconds` are left, the first `looks` looks come every `everyMs`, so that the end is seen soon. */
const CLOSE = { seconds: 2, looks: 8, everyMs: 250 };

export async function* follow(
  client: ClientContext,
  id: string,
  everyMs = 1_000,
): AsyncGenerator<CampaignStatus, void, void> {
  let close = 0;
  for (let record = await recordOf(client, id); ; record = await stillThere(client, record)) {
    const now = await status(client, id);
    yield now;
    if (isClosed(now)) return;
    // a single slow run may keep a campaign close to its end for hours
    close = now.secondsLeft !== null && now.secondsLeft <= CLOSE.seconds ? close + 1 : 0;
    await delay(close > 0 && close <= CLOSE.looks ? Math.min(everyMs, CLOSE.everyMs) : everyMs);
  }
}

export async function failures(client: ClientContext, id: string): Promise<FailureGroup[]> {
  await recordOf(client, id);
  const { failed } = await client.store.counts(id);
  const fromWorkflow = failed > 0 ? ((await client.temporal.failures(id)) ?? []) : [];
  const counted = fromWorkflow.reduce((sum, { count }) => sum + count, 0);
  // a workflow knows only the failures since it started, and a campaign that was closed and runs again has a new
  // workflow
  const causes = counted === failed ? fromWorkflow : await countFailures(client, id);
  const logs = await client.store.runLogs(id);
  return causes.map((cause) => ({ ...cause, log: logs.find((log) => log.cause === cause.cause) ?? null }));
}

/** The failed runs of a campaign, in the order of the design. */
export async function* failedRuns(client: ClientContext, id: string): AsyncGenerator<ResultRow, void, void> {
  let after: ResultPlace | undefined;
  do {
    const { rows, next } = await client.store.resultPage(id, { limit: ROWS, after, status: 'failed' });
    yield* rows;
    after = next ?? undefined;
  } while (after);
}

async function countFailures(client: ClientContext, id: string): Promise<FailureCause[]> {
  const causes: FailureCause[] = [];
  for await (const { point, replication, reason } of failedRuns(client, id)) {
    const sample = { point, replication, reason: reason ?? '' };
    addCauses(causes, [{ cause: causeOf(sample.reason), count: 1, sample }]);
  }
  return causes.toSorted((a, b) => b.count - a.count);
}

export async function explain(client: ClientContext, id: string, key: string): Promise<Explanation> {
  const record = await recordOf(client, id);
  const keys = await client.store.keysLike(id, key.trim().toLowerCase());
  const [first] = keys;
  const only = keys.length === 1 || first === key ? first : undefined;
  const story = only && (await client.store.pointStory(id, only, decidingOutputs(record.campaign)));
  if (story) {
    const log = findsPoints(record.campaign) ? await client.store.searchLog(id) : undefined;
    const neighbours =
      story.position === null
        ? { before: null, after: null }
        : await client.store.neighboursOf(id, story.position);
    return explained(record, story, neighbours, await reasonsAtService(client, record, story), log);
  }
  throw new ForayError(
    'UNKNOWN_POINT',
    first ? `Several points of "${id}" begin with "${key}".` : `The campaign "${id}" has no point "${key}".`,
    {
      hint: first
        ? `They are ${keys.join(', ')}${keys.length === 5 ? ', …' : ''}.`
        : `"foray results ${id}" shows the keys of points.`,
    },
  );
}

/** What the service says about the first open runs of a point, by the run's id. */
async function reasonsAtService(
  client: ClientContext,
  { campaign }: CampaignRecord,
  { runs }: PointStory,
): Promise<Map<string, string>> {
  const open = runs.filter(
    ({ state, runId }) => runId !== null && (state === 'queued' || state === 'running'),
  );
  const reasons = await Promise.all(
    open.slice(0, MOST_ASKED).map(async ({ runId, version }): Promise<[string, string | null]> => {
      const { versionId } = versionOf(campaign, version);
      return [runId!, await reasonAtService(client, versionId, runId!)];
    }),
  );
  return new Map(reasons.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** How results are read. */
export interface ResultOptions {
  follow?: boolean;
  everyMs?: number;
  signal?: AbortSignal | undefined;
}

export async function results(
  client: ClientContext,
  id: string,
  { follow = false, everyMs = 1_000, signal }: ResultOptions = {},
): Promise<{ record: CampaignRecord; rows: Batched<ResultRow> }> {
  const record = await recordOf(client, id);
  const { store, temporal } = client;
  const { campaign } = record;
  const rows = follow
    ? followResults(store, campaign, everyMs, () => temporal.isClosed(id), signal)
    : store.results(id);
  return { record, rows: rowsOf(store, campaign, rows) };
}
