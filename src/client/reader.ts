import { Batched } from '../batched.ts';
import type { Model } from '../api/index.ts';
import { closedPhases, type FlightReport, type RunCounts } from '../campaign/types.ts';
import type { ForayError } from '../errors.ts';
import type { Analysis } from '../sensitivity/analysis.ts';
import type {
  CampaignRecord,
  ResultCursor,
  ResultPlace,
  ResultRow,
  Store,
  StoredLog,
} from '../store/index.ts';
import { analyze, type AnalyzeOptions } from './analysis.ts';
import { leakIn } from './leak.ts';
import { type ClientContext, recordOf } from './context.ts';
import type { Explanation } from './explain.ts';
import { isThere, type ModelAtService, modelAtService } from './models.ts';
import { OutputFiles } from './output-files.ts';
import * as reading from './reading.ts';
import type { FailureGroup, RecentRows } from './reading.ts';
import { rowsOf, type Story, storyOf } from './strategies.ts';
import { type SingleRun, singleRun } from './single-runs.ts';
import type { CampaignStatus } from './status.ts';

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
    const [service, hasTemporal] = await Promise.all([isThere(cloud), temporal.answers()]);
    return { service, temporal: hasTemporal };
  }

  /**
   * Whether the store can be used.
   * @throws ForayError STORE_UNREACHABLE and other errors of the store
   */
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

  /**
   * The models that the service offers to the key.
   * @throws ForayError SERVICE_UNREACHABLE
   */
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
  status(id: string): Promise<CampaignStatus> {
    return reading.status(this.context, id);
  }

  /**
   * The status of a campaign from the store alone, without waiting for a worker or the model service.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  storedStatus(id: string): Promise<CampaignStatus> {
    return reading.storedStatus(this.context, id);
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
  list(): Promise<CampaignStatus[]> {
    return reading.list(this.context);
  }

  /** Why open campaigns cannot continue, by id. Campaigns that can continue are left out. */
  blocked(): Promise<Map<string, string>> {
    return reading.blocked(this.context);
  }

  /** Yields the status of a campaign repeatedly until it is over. The last status has a closed phase. */
  follow(id: string, everyMs?: number): AsyncGenerator<CampaignStatus, void, void> {
    return reading.follow(this.context, id, everyMs);
  }

  /**
   * The runs that are requested and have not finished, from the campaign's workflow, at most 20,000.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async flights(id: string): Promise<FlightReport[]> {
    await recordOf(this.context, id);
    return (await this.context.temporal.flights(id)) ?? [];
  }

  /**
   * Failed runs by cause, the most frequent cause first. Each cause has an example, and the log of one of its runs if
   * one is stored. The numbers come from the workflow. If the workflow does not answer or does not know all failures,
   * foray counts the failures in the store.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  failures(id: string): Promise<FailureGroup[]> {
    return reading.failures(this.context, id);
  }

  /**
   * Explains a point: its inputs, and everything known about its runs.
   *
   * @param key the point's key, or the beginning of it
   * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_POINT
   */
  explain(id: string, key: string): Promise<Explanation> {
    return reading.explain(this.context, id, key);
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
  results(
    id: string,
    options?: reading.ResultOptions,
  ): Promise<{ record: CampaignRecord; rows: Batched<ResultRow> }> {
    return reading.results(this.context, id, options);
  }

  /**
   * A page of finished runs in design order, and `next`, the place where the next page begins. `next` is null on the
   * last page. A page is quick in a campaign of any size.
   *
   * @param options.after `next` of the previous page
   * @param options.from the number of runs before the page, instead of `after`. The more runs, the slower
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

  /**
   * A campaign as the store has it, with its definition.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  record(id: string): Promise<CampaignRecord> {
    return recordOf(this.context, id);
  }

  /**
   * Runs that have finished since the previous call, newest first, at most a few hundred. A call is quick in a campaign
   * of any size.
   *
   * @param since `look` of the previous call. Without this parameter, the call returns the finished runs that come last
   * in the order in which foray requests runs
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async recentRows(id: string, since?: ResultCursor): Promise<RecentRows> {
    await recordOf(this.context, id);
    return this.store.recentResults(id, since);
  }

  /**
   * The number of a campaign's runs in each state, from the store.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
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
