import { setTimeout as delay } from 'node:timers/promises';
import type { CloudClient } from '../cloud/index.ts';
import { checkChange, type Difference, difference, settingsDifference } from '../campaign/change.ts';
import { filesOf } from '../campaign/designs/design.ts';
import { addCauses, causeOf } from '../campaign/failures.ts';
import { freshened } from '../campaign/seeds.ts';
import { type Garbage, unneededFiles } from './garbage.ts';
import { didYouMean } from '../suggest.ts';
import {
  type Campaign,
  closedPhases,
  type FailureCause,
  type FlightReport,
  type RunCounts,
} from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import {
  type CampaignRecord,
  type Look,
  openStore,
  type ResultRow,
  shownAddress,
  type Store,
  type StoredLog,
  type WhenMissing,
} from '../store/index.ts';
import {
  checkTakesRuns,
  type DefinitionSource,
  type FileChanges,
  fileChanges,
  otherVersion,
  ServiceAtHand,
  TAKE_ANOTHER,
  textOf,
} from '../resolve/index.ts';
import { checkCampaign, type CheckedCampaign } from './check.ts';
import { type Explanation, explained } from './explain.ts';
import { finishing } from './finishing.ts';
import { OutputFiles } from './output-files.ts';
import { paceKnown, paceOf } from './pace.ts';
import { type Plan, planOf, type PlanOptions } from './plan.ts';
import { applyReason, retryReason } from './reasons.ts';
import { withAsks } from './search.ts';
import { cloudClient, type Settings } from './settings.ts';
import { type CampaignStatus, isClosed, statusFromStore, statusFromWorkflow } from './status.ts';
import { type Change, TemporalSide } from './temporal.ts';
import type { RetryWhat } from '../workflows/messages.ts';

/** A campaign that was submitted. */
export interface Submitted {
  id: string;
  workflowId: string;
  /** The first execution of the workflow. */
  runId: string;
  /** The campaign's page in Temporal's Web UI. */
  url: string;
  /** False when the same definition had been submitted under this id before. */
  isNew: boolean;
  points: number;
  runs: number;
  /** What the user may want to know; empty mostly. */
  warning: string;
}

/** What a retry or a changed definition made of a campaign. */
export interface CampaignChange {
  /** Of a changed definition. */
  difference: Difference | null;
  /** Failed runs that are requested again. */
  forgiven: number;
  /** Runs that are to be requested or have not finished. */
  open: number;
  /** The campaign was closed, and runs again. */
  wasClosed: boolean;
}

/** Failed runs of one cause. */
export interface FailureGroup extends FailureCause {
  /** What one of them printed; null where that is not kept. */
  log: StoredLog | null;
}

/** How failed and missing runs are requested again. */
export interface RetryOptions {
  /** The version of the model that is requested from now on. @default the campaign's */
  version?: number | 'latest' | undefined;
}

/** What a retry would do. */
export interface RetryPlan {
  /** Failed runs that are requested again. */
  failed: number;
  /** Runs that were not requested yet, and are once the campaign goes on. */
  missing: number;
  /** Runs that are done, or requested: they keep the version that they have. */
  others: number;
  /** Another version of the model, and the files that differ in it where the service tells; null where it stays. */
  version: { from: number; to: number; files: FileChanges | null } | null;
}

/** Runs that have finished since a look, and that look: where the next one goes on from. */
export interface RecentRows {
  rows: ResultRow[];
  look: Look;
}

/** How a definition is submitted. */
export interface SubmitOptions {
  id?: string | undefined;
  announce?: ((plan: Plan) => void) | undefined;
}

/** How a definition is planned. */
export interface PlanSettings extends Pick<PlanOptions, 'onAsked'> {
  all?: boolean | undefined;
  runSeconds?: number | undefined;
}

/** Runs of a plan that the service is asked about, at most; of more, a sample of so many. */
const MOST_ASKED = 10_000;
const SAMPLE = 2_000;
/** What is announced before a campaign is started comes from a look at so many runs, of so long. */
const ANNOUNCE_RUNS = 200;
const ANNOUNCE_MS = 2_000;

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/;

/**
 * Campaigns from a program: submit, follow, cancel, read. Opens the store at once; Temporal and the model service only
 * when something is asked that needs them.
 */
export class Foray {
  private readonly store: Store;
  private readonly settings: Settings;
  private readonly cloud: CloudClient;
  private readonly temporal: TemporalSide;
  private readonly service: ServiceAtHand;

  private constructor(settings: Settings, store: Store) {
    this.settings = settings;
    this.store = store;
    this.cloud = cloudClient(settings, 'person');
    this.temporal = new TemporalSide(settings);
    this.service = new ServiceAtHand(this.cloud, settings.service.url);
  }

  /**
   * Opens the store; nothing else is connected to yet.
   *
   * @param whenMissing what becomes of a store that is not there yet
   * @throws ForayError STORE_UNUSABLE, STORE_NEWER, STORE_UNREACHABLE; STORE_MISSING where that is to be refused
   */
  static async open(settings: Settings, whenMissing: WhenMissing = 'make'): Promise<Foray> {
    return new Foray(settings, await openStore(settings.store, whenMissing));
  }

  /** Closes the store and the connection to Temporal: the last thing to be called. */
  async close(): Promise<void> {
    await this.temporal.close();
    await this.store.close();
  }

  /**
   * Checks a definition whole and starts its campaign. Submitting the same definition under a known id returns that
   * campaign.
   *
   * @param id by default the definition's name and a short suffix
   * @param announce is told what the definition comes to, from a quick look, before anything is started, and may throw
   * @throws ForayError whatever is wrong with the definition, with its place; CAMPAIGN_EXISTS; SERVICE_UNREACHABLE,
   *   TEMPORAL_UNREACHABLE. Nothing is started then.
   */
  async submit(source: DefinitionSource, { id: wanted, announce }: SubmitOptions = {}): Promise<Submitted> {
    if (wanted !== undefined && !ID.test(wanted)) {
      throw new ForayError('USAGE', `The id "${wanted}" is not usable.`, {
        hint: 'Use letters, digits, "-", "_" and ".", at most 120 of them.',
      });
    }
    const checkedCampaign = await checkCampaign(this.cloud, source);
    const { campaign: checked, points, contents, digest } = checkedCampaign;
    if (announce) {
      const signal = AbortSignal.timeout(ANNOUNCE_MS);
      announce(await this.planned(checkedCampaign, { ask: ANNOUNCE_RUNS, signal }, undefined));
    }
    await this.temporal.connect();
    const id = wanted ?? `${checked.name}-${crypto.randomUUID().slice(0, 6)}`;
    const { url: service } = this.service;
    const serviceId = await this.service.identity();
    const campaign = freshened({ ...checked, id, service, serviceId }, Math.random);
    for (const [hash, content] of contents) await this.store.putFile(hash, content, Date.now());
    const definition = textOf(source);
    const isNew = await this.store.addCampaign({ campaign, definition, digest }, Date.now());
    const record = await this.record(id);
    if (record.digest !== digest || !(await this.service.has(record.campaign, this.store))) {
      throw new ForayError('CAMPAIGN_EXISTS', `A campaign "${id}" exists with another definition.`, {
        hint: `"foray apply ${id} FILE" changes it; another --id makes another campaign.`,
      });
    }
    // A record without a workflow is what a submit leaves that died in between: this one completes it.
    const { runId, warning } = closedPhases.includes(record.phase)
      ? { runId: await this.temporal.runIdOf(id), warning: '' }
      : await this.temporal
          .start(record, this.store.id, isNew ? 'first' : 'again')
          .catch(async (error: unknown) => {
            if (isNew) await this.store.removeCampaign(id);
            throw error;
          });
    const url = this.temporal.pageOf(id, runId);
    return { id, workflowId: id, runId, url, isNew, points, runs: points * campaign.replications, warning };
  }

  /**
   * What a definition would come to: nothing is started, or written.
   *
   * @param all asks the service about every run; of more than 10,000 else a sample is asked about
   * @param runSeconds how long one run takes; by default the pace of earlier campaigns of the model's version counts
   * @throws ForayError whatever is wrong with the definition, with its place; REQUEST_REFUSED; SERVICE_UNREACHABLE
   */
  async plan(
    source: DefinitionSource,
    { all = false, runSeconds, onAsked }: PlanSettings = {},
  ): Promise<Plan> {
    const definition = await checkCampaign(this.cloud, source);
    const runs = definition.points * definition.campaign.replications;
    const ask = all || runs <= MOST_ASKED ? runs : SAMPLE;
    return this.planned(definition, { ask, onAsked }, runSeconds);
  }

  private async planned(
    definition: CheckedCampaign,
    options: PlanOptions,
    runSeconds: number | undefined,
  ): Promise<Plan> {
    const { campaign } = definition;
    const pace =
      runSeconds === undefined
        ? await paceKnown(this.store, campaign, this.service)
        : paceOf(runSeconds, campaign);
    return planOf(this.cloud, definition, pace, options);
  }

  /**
   * Where a campaign is: from its workflow when a worker answers in time, else from the store.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async status(id: string): Promise<CampaignStatus> {
    const record = await this.record(id);
    if (closedPhases.includes(record.phase)) return statusFromStore(this.store, record, '');
    const { progress, why, blocks } = await this.temporal.progress(id);
    const [note, blocked] = blocks ? ['', why] : [why, undefined];
    if (!progress) return statusFromStore(this.store, await this.record(id), note, blocked);
    return statusFromWorkflow(this.store, record, progress, { note, blocked, now: Date.now() });
  }

  /**
   * Makes sure that a campaign which is not over can be followed.
   * @throws ForayError UNKNOWN_CAMPAIGN, TEMPORAL_UNREACHABLE
   */
  async reach(id: string): Promise<void> {
    const record = await this.record(id);
    if (!closedPhases.includes(record.phase)) await this.temporal.connect();
  }

  /** All campaigns of the store, newest first, as the store knows them; of those that are not over, why they cannot go on. */
  async list(): Promise<CampaignStatus[]> {
    const [records, blocked] = await Promise.all([this.store.listCampaigns(), this.blocked()]);
    return Promise.all(
      records.map((record) => statusFromStore(this.store, record, '', blocked.get(record.campaign.id))),
    );
  }

  /** Why campaigns that are not over cannot go on, by their ids; those that do are left out. */
  async blocked(): Promise<Map<string, string>> {
    const records = await this.store.listCampaigns();
    const open = records.filter(({ phase }) => !closedPhases.includes(phase));
    const whys = await Promise.all(
      open.map(async ({ campaign: { id } }) => [id, await this.temporal.blockedBy(id)] as const),
    );
    return new Map(whys.flatMap(([id, why]) => (why === undefined ? [] : [[id, why] as const])));
  }

  /** The campaign's status again and again, until it is over; the last one is of a closed phase. */
  async *follow(id: string, everyMs = 1_000): AsyncGenerator<CampaignStatus, void, void> {
    for (;;) {
      const status = await this.status(id);
      yield status;
      if (isClosed(status)) return;
      await delay(everyMs);
    }
  }

  /**
   * Cancels a campaign: no new requests, its own runs are stopped at the service, what has finished is kept. Returns
   * when the wish is on record; a worker carries it out. Works also after the workflow was terminated.
   *
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_CLOSED, TEMPORAL_UNREACHABLE
   */
  async cancel(id: string, reason?: string): Promise<void> {
    const record = await this.open(id);
    if (await this.temporal.signal(id, 'cancel', reason)) return;
    await this.temporal.start(record, this.store.id, 'stop-only');
  }

  /**
   * Pauses a campaign (no new requests; what is requested goes on), lets it go on, or ends it when what is requested has
   * finished. Returns when the wish is on record.
   *
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_CLOSED, TEMPORAL_UNREACHABLE
   */
  async steer(id: string, wish: 'pause' | 'resume' | 'stop', reason?: string): Promise<void> {
    await this.open(id);
    if (!(await this.temporal.signal(id, wish, reason))) throw notRunning(id);
  }

  /**
   * Deletes a closed campaign with its points, runs and results. What the service has of it stays there, and so does its
   * workflow in Temporal until its retention has passed; the id is free at once.
   *
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_OPEN
   */
  async delete(id: string): Promise<void> {
    const { phase } = await this.record(id);
    if (!closedPhases.includes(phase)) {
      throw new ForayError('CAMPAIGN_OPEN', `The campaign "${id}" is ${phase}.`, {
        hint: `Only what is over can be deleted: "foray cancel ${id}" ends it.`,
      });
    }
    await this.store.deleteCampaign(id);
  }

  /** What the store holds and no campaign needs: files that none names, and bytes that nothing is in. */
  async garbage(): Promise<Garbage> {
    const unneeded = unneededFiles(
      await this.store.listFiles(),
      await this.store.listCampaigns(),
      Date.now(),
    );
    return { ...unneeded, spareBytes: await this.store.spareBytes() };
  }

  /** Deletes what was found, but for what somebody has put there since, and gives the room back. */
  async collect({ files }: Pick<Garbage, 'files'>): Promise<void> {
    for (const file of files) await this.store.deleteFile(file);
    await this.store.compact();
  }

  /**
   * Sets how many runs a campaign may have requested at once; returns when a worker has taken it in.
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_CLOSED, TEMPORAL_UNREACHABLE
   */
  async setConcurrency(id: string, concurrency: number | 'auto'): Promise<void> {
    await this.open(id);
    if (!(await this.temporal.setConcurrency(id, concurrency))) throw notRunning(id);
  }

  /**
   * What a retry would do: nothing is changed.
   * @throws ForayError as retry
   */
  async planRetry(
    id: string,
    what: RetryWhat = 'all',
    { version: wanted }: RetryOptions = {},
  ): Promise<RetryPlan> {
    const { campaign, phase } = await this.record(id);
    const counts = await this.store.counts(id);
    const isClosed = closedPhases.includes(phase);
    const failed = what === 'missing' ? 0 : counts.failed;
    const missing = what === 'failed' && isClosed ? 0 : counts.waiting;
    const others = counts.done + counts.running + counts.queued;
    if (wanted === undefined) {
      if (failed + missing > 0) await checkTakesRuns(this.cloud, campaign);
      return { failed, missing, others, version: null };
    }
    const to = await otherVersion(this.cloud, campaign, wanted);
    const from = campaign.model;
    if (to.version === from.version) return { failed, missing, others, version: null };
    const files = (await fileChanges(this.cloud, from, to)) ?? null;
    return { failed, missing, others, version: { from: from.version, to: to.version, files } };
  }

  /**
   * Requests runs again that failed, or (in a closed campaign) were never requested, or both. A closed campaign runs
   * again under its id; what has finished stays. With another version of the model that version is requested from now on;
   * runs that are done or requested keep theirs.
   *
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_CLOSED while it is ending, TEMPORAL_UNREACHABLE; VERSION_RETIRED,
   *   UNKNOWN_MODEL and CHANGE_REFUSED of a version that cannot be taken. Nothing is changed then.
   */
  async retry(id: string, what: RetryWhat = 'all', options: RetryOptions = {}): Promise<CampaignChange> {
    const record = await this.record(id);
    const plan = await this.planRetry(id, what, options);
    const { failed, missing, version } = plan;
    if (closedPhases.includes(record.phase) && record.points > 0 && failed + missing === 0)
      return { difference: null, forgiven: 0, open: 0, wasClosed: false };
    const change = await this.change(record, { retry: what, version: version?.to }, retryReason(plan));
    // of a closed campaign only what failed goes on then
    return what === 'failed' && change.wasClosed ? { ...change, open: change.forgiven } : change;
  }

  /**
   * What a definition would make of a campaign: nothing is changed.
   * @throws ForayError whatever is wrong with the definition, with its place; CHANGE_REFUSED; UNKNOWN_CAMPAIGN
   */
  async compare(id: string, source: DefinitionSource): Promise<Difference> {
    const record = await this.record(id);
    const { before, after, contents: given } = await this.checkedChange(record, source);
    const contents = new Map(given);
    for (const { hash } of filesOf(before.design)) contents.set(hash, (await this.store.getFile(hash))!);
    return difference(before, after, contents);
  }

  /**
   * Changes a campaign to a definition: points are added or dropped, replications raised or lowered, settings changed.
   * Its id and all results stay. A closed campaign runs again.
   *
   * @throws ForayError as compare; CAMPAIGN_CLOSED while it is ending, TEMPORAL_UNREACHABLE
   */
  async apply(id: string, source: DefinitionSource): Promise<CampaignChange> {
    const record = await this.record(id);
    const { before, after, contents, ...checked } = await this.checkedChange(record, source);
    for (const [hash, content] of contents) await this.store.putFile(hash, content, Date.now());
    const points = { from: record.points, to: checked.points };
    const files = { inputs: after.files, points: checked.pointFiles };
    const reason = applyReason(points, settingsDifference(before, after));
    return this.change(record, { apply: textOf(source), files }, reason);
  }

  /** A campaign and what a definition would have it be, which it may become. */
  private async checkedChange({ campaign: before }: CampaignRecord, source: DefinitionSource) {
    const { campaign, ...checked } = await checkCampaign(this.cloud, source, before.model);
    const { id, service, serviceId, versions } = before;
    const after: Campaign = { ...campaign, id, service, serviceId, versions };
    checkChange(before, after);
    if (after.model.versionId !== before.model.versionId)
      await checkTakesRuns(this.cloud, after, TAKE_ANOTHER);
    return { before, after, ...checked };
  }

  private async change(record: CampaignRecord, request: Change, reason: string): Promise<CampaignChange> {
    const { difference, forgiven, counts } = await this.temporal.change(
      record,
      this.store.id,
      request,
      reason,
    );
    const open = counts.total - counts.done - counts.failed;
    return { difference, forgiven, open, wasClosed: closedPhases.includes(record.phase) };
  }

  /**
   * Runs that are requested and have not finished, as the campaign's workflow knows them.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async flights(id: string): Promise<FlightReport[]> {
    await this.record(id);
    return (await this.temporal.flights(id)) ?? [];
  }

  /**
   * Failed runs by cause, the commonest first, with one of each and what one of them printed, where that is kept: from the
   * workflow, or counted in the store.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async failures(id: string): Promise<FailureGroup[]> {
    await this.record(id);
    const causes = (await this.temporal.failures(id)) ?? (await this.countFailures(id));
    const logs = await this.store.runLogs(id);
    return causes.map((cause) => ({ ...cause, log: logs.find((log) => log.cause === cause.cause) ?? null }));
  }

  private async countFailures(id: string): Promise<FailureCause[]> {
    const causes: FailureCause[] = [];
    for await (const { status, point, replication, reason } of this.store.results(id)) {
      if (status !== 'failed') continue;
      const sample = { point, replication, reason: reason ?? '' };
      addCauses(causes, [{ cause: causeOf(sample.reason), count: 1, sample }]);
    }
    return causes.toSorted((a, b) => b.count - a.count);
  }

  /**
   * Why a point is where it is: its inputs, and what is known of each of its runs.
   *
   * @param key of the point, or the beginning of it
   * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_POINT
   */
  async explain(id: string, key: string): Promise<Explanation> {
    const record = await this.record(id);
    const found = await this.store.pointsLike(id, key.trim().toLowerCase());
    const [story] = found;
    if (story && (found.length === 1 || story.key === key)) return explained(record, story);
    throw new ForayError(
      'UNKNOWN_POINT',
      story
        ? `Several points of "${id}" begin with "${key}".`
        : `The campaign "${id}" has no point "${key}".`,
      {
        hint: story
          ? `They are ${found.map((one) => one.key).join(', ')}${found.length === 5 ? ', …' : ''}.`
          : `"foray results ${id}" shows the keys of points.`,
      },
    );
  }

  /**
   * Finished runs in design order, at any time, finished or not; or as they finish, until the campaign is over or its workflow
   * is closed without it (terminated), which the status tells.
   * @throws ForayError UNKNOWN_CAMPAIGN; CAMPAIGN_CHANGED when columns change while it is followed
   */
  async results(
    id: string,
    { follow = false, everyMs = 1_000 }: { follow?: boolean; everyMs?: number } = {},
  ): Promise<{ record: CampaignRecord; rows: AsyncIterable<ResultRow> }> {
    const record = await this.record(id);
    const rows = follow
      ? finishing(this.store, record.campaign, everyMs, () => this.temporal.isClosed(id))
      : this.store.results(id);
    return { record, rows: record.campaign.search ? withAsks(this.store, record.campaign, rows) : rows };
  }

  /**
   * Runs that have finished since a look, the newest first, a few hundred at most: a look is quick at any size of campaign.
   *
   * @param since the last look; without one, the last runs in the order of work
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async recentRows(id: string, since?: Look): Promise<RecentRows> {
    await this.record(id);
    return this.store.lately(id, since);
  }

  /**
   * How many runs of a campaign there are in each state, as the store knows them.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async counts(id: string): Promise<RunCounts> {
    await this.record(id);
    return this.store.counts(id);
  }

  /**
   * What failed runs of a campaign printed, where that is kept: some hundreds at most, in the order of work.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async failureLogs(id: string): Promise<StoredLog[]> {
    await this.record(id);
    return this.store.runLogs(id);
  }

  /**
   * What the run printed that failed last; undefined where that is not kept.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async lastFailureLog(id: string): Promise<StoredLog | undefined> {
    await this.record(id);
    return this.store.lastRunLog(id);
  }

  /**
   * The files of outputs of a campaign, of which the values refer to them: from the store where it keeps them, else from the model
   * service.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async outputFiles(id: string): Promise<OutputFiles> {
    const { campaign } = await this.record(id);
    return new OutputFiles(this.store, this.cloud, campaign, this.service);
  }

  /** The page of a campaign in Temporal's Web UI. */
  pageOf(id: string): string {
    return this.temporal.pageOf(id);
  }

  /** The record of a campaign that is not over. */
  private async open(id: string): Promise<CampaignRecord> {
    const record = await this.record(id);
    if (!closedPhases.includes(record.phase)) return record;
    throw new ForayError('CAMPAIGN_CLOSED', `The campaign "${id}" is ${record.phase} already.`);
  }

  private async record(id: string): Promise<CampaignRecord> {
    const record = await this.store.getCampaign(id);
    if (record) return record;
    const known = await this.store.listCampaigns();
    const store = shownAddress(this.settings.store);
    throw new ForayError('UNKNOWN_CAMPAIGN', `There is no campaign "${id}" in the store ${store}.`, {
      hint:
        didYouMean(
          id,
          known.map(({ campaign }) => campaign.id),
        ) ?? 'The store is empty.',
    });
  }
}

function notRunning(id: string): ForayError {
  return new ForayError('CAMPAIGN_CLOSED', `The workflow of the campaign "${id}" does not run.`, {
    hint: `"foray cancel ${id}" stops what it left.`,
  });
}
