import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../api/index.ts';
import { RunMessage } from '../api/resources.ts';
import { Batched } from '../batched.ts';
import { addCauses, causeOf } from '../campaign/failures.ts';
import { decidingOutputs } from '../campaign/measures.ts';
import { findsPoints } from '../campaign/strategy.ts';
import { closedPhases, type FailureCause, type FlightReport, type RunCounts } from '../campaign/types.ts';
import { versionOf } from '../campaign/versions.ts';
import { ForayError } from '../errors.ts';
import type { Analysis } from '../sensitivity/analysis.ts';
import {
  campaignDeleted,
  type CampaignRecord,
  MOST_KEYS,
  type PointStory,
  type ResultCursor,
  type ResultPlace,
  type ResultRow,
  type Store,
  type StoredLog,
} from '../store/index.ts';
import { analyze, type AnalyzeOptions } from './analysis.ts';
import { type ClientContext, recordOf } from './context.ts';
import { type Explanation, explained } from './explain.ts';
import { followResults } from './follow-results.ts';
import { leakIn } from './leak.ts';
import { serviceAnswers, type ModelAtService, modelAtService } from './models.ts';
import { OutputFiles } from './output-files.ts';
import { type SingleRun, singleRun } from './single-runs.ts';
import { type CampaignStatus, isClosed, statusFromStore, statusFromWorkflow } from './status.ts';
import { rowsOf, type Story, storyOf } from './strategies.ts';

/** Maximum number of failed runs that are read at once. */
const ROWS_AT_ONCE = 1_000;
/** The longest time to wait for the service's words about a run, ms. */
const SOON_MS = 1_000;
/** Maximum number of runs of a point that the service is asked about. */
const MOST_ASKED = 5;
/** While at most `seconds` are left, the first `looks` looks come every `everyMs`, so that the end is seen soon. */
const NEAR_END = { seconds: 2, looks: 8, everyMs: 250 };

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

/** How results are read. */
export interface ResultOptions {
  follow?: boolean;
  everyMs?: number;
  signal?: AbortSignal | undefined;
}

/** Reads models and campaigns. No method of this class changes anything. */
export class CampaignReader {
  /** @internal */
  protected readonly store: Store;
  /** @internal */
  protected readonly context: ClientContext;

  /**
   * @internal Without this mark, the declarations of the package would contain the clients of Temporal and of the
   * service.
   */
  protected constructor(context: ClientContext) {
    this.store = context.store;
    this.context = context;
  }

  /** Whether the model service answers within 2 s, and Temporal within 2.4 s. */
  async answers(): Promise<{ service: boolean; temporal: boolean }> {
    const { cloud, temporal } = this.context;
    const [service, hasTemporal] = await Promise.all([serviceAnswers(cloud), temporal.call('answers')]);
    return { service, temporal: hasTemporal };
  }

  /** Whether the store can be used. @throws ForayError STORE_UNREACHABLE and other errors of the store */
  async hasStore(): Promise<boolean> {
    await this.store.getCampaign('');
    return this.store.whyLost() === undefined;
  }

  /**
   * Why the store cannot be used: its file was removed or replaced, or its server cannot be reached. Undefined if it can
   * be used. Call it at an interval.
   */
  whyStoreLost(): ForayError | undefined {
    return this.store.whyLost();
  }

  /** The models that the service offers to the key. @throws ForayError SERVICE_UNREACHABLE */
  models(): Promise<Model[]> {
    return this.context.cloud.listModels();
  }

  /**
   * A model by its name or id, with the inputs and outputs of its newest version.
   * @throws ForayError UNKNOWN_MODEL, SERVICE_UNREACHABLE
   */
  model(name: string): Promise<ModelAtService> {
    return modelAtService(this.context.cloud, name);
  }

  /**
   * The state of a run that `requestRun` started for a model's newest version, and its outputs when it is done.
   * @throws ForayError UNKNOWN_MODEL, REQUEST_REFUSED, SERVICE_UNREACHABLE
   */
  singleRun(model: string, run: string): Promise<SingleRun> {
    return singleRun(this.context.cloud, model, run);
  }

  /**
   * The status of a campaign: from its workflow when a worker answers in time, otherwise from the store.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async status(id: string): Promise<CampaignStatus> {
    const client = this.context;
    const record = await recordOf(client, id);
    if (closedPhases.includes(record.phase))
      return statusFromStore(client.store, record, await leakIn(client, record));
    const { progress, build, why, blocks } = await client.temporal.call('progressOf', record);
    const note = blocks ? '' : why;
    const blocked = blocks ? why : undefined;
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

  /**
   * The status of a campaign from the store alone, without waiting for a worker or the model service.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async storedStatus(id: string): Promise<CampaignStatus> {
    return statusFromStore(this.store, await recordOf(this.context, id), '');
  }

  /**
   * Checks that the campaign exists and, if it is open, that Temporal can be reached.
   * @throws ForayError UNKNOWN_CAMPAIGN, TEMPORAL_UNREACHABLE
   */
  async reach(id: string): Promise<void> {
    const record = await recordOf(this.context, id);
    if (!closedPhases.includes(record.phase)) await this.context.temporal.reach();
  }

  /**
   * The status of each campaign, newest first, from the store. The status of an open campaign that cannot continue says
   * why.
   */
  async list(): Promise<CampaignStatus[]> {
    const [records, whys] = await Promise.all([this.store.listCampaigns(), this.blocked()]);
    return Promise.all(
      records.map((record) =>
        statusFromStore(this.store, record, '', { blocked: whys.get(record.campaign.id) }),
      ),
    );
  }

  /** Why open campaigns cannot continue, by id. Campaigns that can continue are left out. */
  async blocked(): Promise<Map<string, string>> {
    const records = await this.store.listCampaigns();
    const open = records.filter(({ phase }) => !closedPhases.includes(phase));
    const whys = await Promise.all(
      open.map(
        async (record) =>
          [record.campaign.id, await this.context.temporal.call('blockedBy', record)] as const,
      ),
    );
    return new Map(whys.flatMap(([id, why]) => (why === undefined ? [] : [[id, why] as const])));
  }

  /** Yields the status of a campaign repeatedly until it is over. The last status has a closed phase. */
  async *follow(id: string, everyMs = 1_000): AsyncGenerator<CampaignStatus, void, void> {
    let looksNearEnd = 0;
    for (let record = await recordOf(this.context, id); ; record = await stillThere(this.context, record)) {
      const now = await this.status(id);
      yield now;
      if (isClosed(now)) return;
      // a single slow run may keep a campaign close to its end for hours
      const isNearEnd = now.secondsLeft !== null && now.secondsLeft <= NEAR_END.seconds;
      looksNearEnd = isNearEnd ? looksNearEnd + 1 : 0;
      const isSoon = isNearEnd && looksNearEnd <= NEAR_END.looks;
      await delay(isSoon ? Math.min(everyMs, NEAR_END.everyMs) : everyMs);
    }
  }

  /**
   * The runs that are requested and have not finished, from the campaign's workflow, at most 20,000.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async flights(id: string): Promise<FlightReport[]> {
    await recordOf(this.context, id);
    return (await this.context.temporal.call('flights', id)) ?? [];
  }

  /**
   * Failed runs by cause, the most frequent cause first. Each cause has an example, and the log of one of its runs if
   * one is stored. The numbers come from the workflow. If the workflow does not answer or does not know all failures,
   * foray counts the failures in the store.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async failures(id: string): Promise<FailureGroup[]> {
    await recordOf(this.context, id);
    const { failed } = await this.store.counts(id);
    const fromWorkflow = failed > 0 ? ((await this.context.temporal.call('failures', id)) ?? []) : [];
    const counted = fromWorkflow.reduce((sum, { count }) => sum + count, 0);
    // a workflow knows only the failures since it started, and a campaign that was closed and runs again has a new
    // workflow
    const causes = counted === failed ? fromWorkflow : await countFailures(this.context, id);
    const logs = await this.store.runLogs(id);
    return causes.map((cause) => ({ ...cause, log: logs.find((log) => log.cause === cause.cause) ?? null }));
  }

  /**
   * Explains a point: its inputs, and everything known about its runs.
   *
   * @param key - the point's key, or the beginning of it
   * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_POINT
   */
  async explain(id: string, key: string): Promise<Explanation> {
    const record = await recordOf(this.context, id);
    const keys = await this.store.keysLike(id, key.trim().toLowerCase());
    const [only] = keys.length === 1 ? keys : [];
    const story = only && (await this.store.pointStory(id, only, decidingOutputs(record.campaign)));
    if (!story) throw notOnePoint(id, key, keys);
    const log = findsPoints(record.campaign) ? await this.store.searchLog(id) : undefined;
    const neighbours =
      story.position === null
        ? { before: null, after: null }
        : await this.store.neighboursOf(id, story.position);
    return explained(record, story, neighbours, await reasonsAtService(this.context, record, story), log);
  }

  /**
   * The course of a campaign's strategy. It has the points of a search in the order in which it chose them and the points
   * that were compared at its end, the points of a selection with the best one first, or the generations and the
   * posterior of a calibration. Null for a campaign whose points are those of a design.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async story(id: string): Promise<Story | null> {
    const { campaign } = await recordOf(this.context, id);
    return storyOf(this.store, campaign);
  }

  /**
   * Estimates which inputs of a campaign matter, from the runs that have finished. Returns one analysis per output.
   * @throws ForayError UNKNOWN_CAMPAIGN, NOTHING_TO_ANALYZE; UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
   */
  analyze(id: string, options?: AnalyzeOptions): Promise<Analysis[]> {
    return analyze(this.context, id, options);
  }

  /**
   * Finished runs in design order, at any time. With `follow`, `rows` yields runs as they finish, until the campaign is
   * over or somebody terminates its workflow. `status` then says which of the two happened. `signal` ends the rows
   * earlier, also while no run finishes.
   * @throws ForayError UNKNOWN_CAMPAIGN; CAMPAIGN_CHANGED when the columns change while the caller follows
   */
  async results(
    id: string,
    { follow = false, everyMs = 1_000, signal }: ResultOptions = {},
  ): Promise<{ record: CampaignRecord; rows: Batched<ResultRow> }> {
    const record = await recordOf(this.context, id);
    const { store, temporal } = this.context;
    const { campaign } = record;
    const rows = follow
      ? followResults(store, campaign, everyMs, () => temporal.call('isClosed', id), signal)
      : store.results(id);
    return { record, rows: rowsOf(store, campaign, rows) };
  }

  /**
   * A page of finished runs in design order, and `next`, the place where the next page begins. `next` is null on the
   * last page. A page is quick in a campaign of any size.
   *
   * @param options.after - `next` of the previous page
   * @param options.from - the number of runs before the page, instead of `after`. The more runs, the slower
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async runsPage(
    id: string,
    options: {
      limit: number;
      after?: ResultPlace | undefined;
      from?: number | undefined;
      status?: ResultRow['status'] | undefined;
    },
  ): Promise<{ record: CampaignRecord; rows: ResultRow[]; next: ResultPlace | null }> {
    const record = await recordOf(this.context, id);
    const { rows, next } = await this.store.resultPage(id, options);
    const known = rowsOf(this.store, record.campaign, Batched.of(rows));
    return { record, rows: await Array.fromAsync(known), next };
  }

  /** A campaign as the store has it, with its definition. @throws ForayError UNKNOWN_CAMPAIGN */
  record(id: string): Promise<CampaignRecord> {
    return recordOf(this.context, id);
  }

  /**
   * Runs that have finished since the previous call, newest first, at most a few hundred. A call is quick in a campaign
   * of any size.
   *
   * @param since - `look` of the previous call. Without this parameter, the call returns the finished runs that come last
   * in the order in which foray requests runs
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async recentRows(id: string, since?: ResultCursor): Promise<RecentRows> {
    await recordOf(this.context, id);
    return this.store.recentResults(id, since);
  }

  /** The number of a campaign's runs in each state, from the store. @throws ForayError UNKNOWN_CAMPAIGN */
  async counts(id: string): Promise<RunCounts> {
    await recordOf(this.context, id);
    return this.store.counts(id);
  }

  /**
   * The stored logs of a campaign's failed runs, at most a few hundred, in the order in which foray requests runs.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async failureLogs(id: string): Promise<StoredLog[]> {
    await recordOf(this.context, id);
    return this.store.runLogs(id);
  }

  /**
   * What the service says about outputs that have depended on earlier runs; empty if it says nothing.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async leak(id: string): Promise<string> {
    return leakIn(this.context, await recordOf(this.context, id));
  }

  /**
   * The log of the run that failed last; undefined when none is stored.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async lastFailureLog(id: string): Promise<StoredLog | undefined> {
    await recordOf(this.context, id);
    return this.store.lastRunLog(id);
  }

  /**
   * The output files of a campaign, from the store or from the model service.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async outputFiles(id: string): Promise<OutputFiles> {
    const { campaign } = await recordOf(this.context, id);
    const { store, cloud, service } = this.context;
    return new OutputFiles(store, cloud, campaign, service);
  }

  /** The page of a campaign in Temporal's Web UI. */
  pageOf(id: string): string {
    return this.context.temporal.pageOf(id);
  }
}

/** The error for a key with which no point begins, or several points. @param found - the keys that begin with it */
function notOnePoint(id: string, key: string, found: readonly string[]): ForayError {
  if (found.length === 0)
    return new ForayError('UNKNOWN_POINT', `The campaign "${id}" has no point "${key}".`, {
      hint: `"foray results ${id}" shows the keys of points.`,
    });
  const more = found.length === MOST_KEYS ? ', …' : '';
  return new ForayError('UNKNOWN_POINT', `Several points of "${id}" begin with "${key}".`, {
    hint: `They are ${found.join(', ')}${more}.`,
  });
}

/** Why the service has not executed the first open run of a campaign so far; empty if there is no such reason. */
async function whyWaiting(client: ClientContext, { campaign }: CampaignRecord): Promise<string> {
  const run = (await client.store.openRuns(campaign.id)).find(({ runId }) => runId !== null);
  if (!run) return '';
  const reason = await reasonAtService(client, versionOf(campaign, run.version).versionId, run.runId!);
  return reason === null ? '' : `a run waits at the service: ${reason}`;
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

/** What the service says about an open run; null if it says nothing, or does not answer soon. */
async function reasonAtService(
  { cloud }: ClientContext,
  versionId: string,
  runId: string,
): Promise<string | null> {
  try {
    const { message } = await cloud.getProgress(versionId, runId, AbortSignal.timeout(SOON_MS));
    return RunMessage.parse(JSON.parse(message ?? '')).title;
  } catch {
    return null;
  }
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

/** The failed runs of a campaign, in the order of the design. */
export async function* failedRuns(client: ClientContext, id: string): AsyncGenerator<ResultRow, void, void> {
  let after: ResultPlace | undefined;
  do {
    const { rows, next } = await client.store.resultPage(id, {
      limit: ROWS_AT_ONCE,
      after,
      status: 'failed',
    });
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
