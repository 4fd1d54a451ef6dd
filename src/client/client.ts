import type { Difference } from '../campaign/change.ts';
import { closedPhases, type FlightReport, type RunCounts } from '../campaign/types.ts';
import { type DefinitionSource, ServiceAtHand } from '../resolve/index.ts';
import {
  type CampaignRecord,
  type Look,
  openStore,
  type ResultRow,
  type Store,
  type StoredLog,
  type WhenMissing,
} from '../store/index.ts';
import type { RetryWhat } from '../workflows/messages.ts';
import type { Analysis } from '../sensitivity/analysis.ts';
import { analyze, type AnalyzeOptions } from './analysis.ts';
import * as changes from './changes.ts';
import type { CampaignChange, RetryOptions, RetryPlan } from './changes.ts';
import { type ClientContext, recordOf } from './context.ts';
import type { SelectStory } from '../search/select-story.ts';
import type { SearchStory } from '../search/story.ts';
import type { Explanation } from './explain.ts';
import type { Garbage } from './garbage.ts';
import { collect, deleteCampaign, garbage } from './housekeeping.ts';
import { OutputFiles } from './output-files.ts';
import type { Plan } from './plan.ts';
import { storyOfSearch, storyOfSelect } from './search.ts';
import * as reading from './reading.ts';
import type { FailureGroup, RecentRows } from './reading.ts';
import { cloudClient, type Settings } from './settings.ts';
import type { CampaignStatus } from './status.ts';
import { cancel, setConcurrency, steer } from './steering.ts';
import { plan, type PlanSettings, submit, type SubmitOptions, type Submitted } from './submit.ts';
import { TemporalConnection } from './temporal/connection.ts';
import * as messages from './temporal/messages.ts';

/**
 * Campaigns from a program: submit, follow, cancel, read. Opens the store at once. It connects to Temporal and the model
 * service only when a call needs them.
 */
export class Foray {
  private readonly store: Store;
  private readonly context: ClientContext;

  private constructor(settings: Settings, store: Store) {
    const cloud = cloudClient(settings, 'person');
    this.store = store;
    this.context = {
      settings,
      store,
      cloud,
      temporal: new TemporalConnection(settings),
      service: new ServiceAtHand(cloud, settings.service.url),
    };
  }

  /**
   * Opens the store; nothing else is connected to yet.
   *
   * @param whenMissing what to do when there is no store yet
   * @throws ForayError STORE_UNUSABLE, STORE_NEWER, STORE_UNREACHABLE; STORE_MISSING with `refuse`
   */
  static async open(settings: Settings, whenMissing: WhenMissing = 'make'): Promise<Foray> {
    return new Foray(settings, await openStore(settings.store, whenMissing));
  }

  /** Closes the store and the connection to Temporal. Nothing may be called afterwards. */
  async close(): Promise<void> {
    await this.context.temporal.close();
    await this.store.close();
  }

  /**
   * Checks a definition whole and starts its campaign. Submitting the same definition under a known id returns that
   * campaign.
   *
   * @throws ForayError whatever is wrong with the definition, with its place; CAMPAIGN_EXISTS; SERVICE_UNREACHABLE,
   *   TEMPORAL_UNREACHABLE. Nothing is started then.
   */
  submit(source: DefinitionSource, options?: SubmitOptions): Promise<Submitted> {
    return submit(this.context, source, options);
  }

  /**
   * Plans a definition: its points and runs, and how long they take. Nothing is started or written.
   * @throws ForayError whatever is wrong with the definition, with its place; REQUEST_REFUSED; SERVICE_UNREACHABLE
   */
  plan(source: DefinitionSource, options?: PlanSettings): Promise<Plan> {
    return plan(this.context, source, options);
  }

  /**
   * Where a campaign is: from its workflow when a worker answers in time, else from the store.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  status(id: string): Promise<CampaignStatus> {
    return reading.status(this.context, id);
  }

  /**
   * Makes sure that an open campaign can be followed.
   * @throws ForayError UNKNOWN_CAMPAIGN, TEMPORAL_UNREACHABLE
   */
  async reach(id: string): Promise<void> {
    const record = await recordOf(this.context, id);
    if (!closedPhases.includes(record.phase)) await this.context.temporal.connect();
  }

  /** All campaigns of the store, newest first, as the store knows them. Open ones say why they cannot go on. */
  list(): Promise<CampaignStatus[]> {
    return reading.list(this.context);
  }

  /** Why open campaigns cannot go on, by id. Those that go on are left out. */
  blocked(): Promise<Map<string, string>> {
    return reading.blocked(this.context);
  }

  /** The campaign's status again and again, until it is over; the last one is of a closed phase. */
  follow(id: string, everyMs?: number): AsyncGenerator<CampaignStatus, void, void> {
    return reading.follow(this.context, id, everyMs);
  }

  /**
   * Cancels a campaign: no new requests, its own runs are stopped at the service, what has finished is kept. Returns
   * when the request is on record; a worker carries it out. It also works after the workflow was terminated.
   *
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_CLOSED, TEMPORAL_UNREACHABLE
   */
  cancel(id: string, reason?: string): Promise<void> {
    return cancel(this.context, id, reason);
  }

  /**
   * Pauses a campaign (no new requests; what is requested goes on), lets it go on, or ends it when what is requested has
   * finished. Returns when the request is on record.
   *
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_CLOSED, TEMPORAL_UNREACHABLE
   */
  steer(id: string, wish: 'pause' | 'resume' | 'stop', reason?: string): Promise<void> {
    return steer(this.context, id, wish, reason);
  }

  /**
   * Deletes a closed campaign with its points, runs and results. What the service has of it stays there, and so does its
   * workflow in Temporal until its retention has passed; the id is free at once.
   *
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_OPEN
   */
  delete(id: string): Promise<void> {
    return deleteCampaign(this.context, id);
  }

  /** What no campaign needs: files that none names, and unused bytes of the store. */
  garbage(): Promise<Garbage> {
    return garbage(this.context);
  }

  /** Deletes unneeded files, except those that somebody has put there since, and frees disk space. */
  collect(found: Pick<Garbage, 'files'>): Promise<void> {
    return collect(this.context, found);
  }

  /**
   * Sets how many runs a campaign may have requested at once. Returns when a worker has applied it.
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_CLOSED, TEMPORAL_UNREACHABLE
   */
  setConcurrency(id: string, concurrency: number | 'auto'): Promise<void> {
    return setConcurrency(this.context, id, concurrency);
  }

  /**
   * What a retry would do. Nothing is changed.
   * @throws ForayError as retry
   */
  planRetry(id: string, what?: RetryWhat, options?: RetryOptions): Promise<RetryPlan> {
    return changes.planRetry(this.context, id, what, options);
  }

  /**
   * Requests runs again that failed, or (in a closed campaign) were never requested, or both. A closed campaign runs
   * again under its id; what has finished stays. With another version of the model that version is requested from now on;
   * runs that are done or requested keep theirs.
   *
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_CLOSED while it is ending, TEMPORAL_UNREACHABLE; VERSION_RETIRED,
   *   UNKNOWN_MODEL and CHANGE_REFUSED of a version that cannot be taken. Nothing is changed then.
   */
  retry(id: string, what?: RetryWhat, options?: RetryOptions): Promise<CampaignChange> {
    return changes.retry(this.context, id, what, options);
  }

  /**
   * How a definition would change a campaign. Nothing is changed.
   * @throws ForayError whatever is wrong with the definition, with its place; CHANGE_REFUSED; UNKNOWN_CAMPAIGN
   */
  compare(id: string, source: DefinitionSource): Promise<Difference> {
    return changes.compare(this.context, id, source);
  }

  /**
   * Changes a campaign to a definition: points are added or dropped, replications raised or lowered, settings changed.
   * Its id and all results stay. A closed campaign runs again.
   *
   * @throws ForayError as compare; CAMPAIGN_CLOSED while it is ending, TEMPORAL_UNREACHABLE
   */
  apply(id: string, source: DefinitionSource): Promise<CampaignChange> {
    return changes.apply(this.context, id, source);
  }

  /**
   * Runs that are requested and have not finished, as the campaign's workflow knows them.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async flights(id: string): Promise<FlightReport[]> {
    await recordOf(this.context, id);
    return (await messages.flights(this.context.temporal, id)) ?? [];
  }

  /**
   * Failed runs by cause, the commonest first, each with an example and the log of one of them where one is stored. The
   * workflow answers; without it they are counted in the store.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  failures(id: string): Promise<FailureGroup[]> {
    return reading.failures(this.context, id);
  }

  /**
   * Explains a point: its inputs, and what is known of each of its runs.
   *
   * @param key the point's key, or the beginning of it
   * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_POINT
   */
  explain(id: string, key: string): Promise<Explanation> {
    return reading.explain(this.context, id, key);
  }

  /**
   * What the search of a campaign has done: its points in the order of their asks, and those that were compared at its end. Null of a
   * campaign without a search.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async searchStory(id: string): Promise<SearchStory | null> {
    const { campaign } = await recordOf(this.context, id);
    return storyOfSearch(this.store, campaign);
  }

  /**
   * Which inputs of a campaign matter, one analysis an output, of the runs that have finished.
   * @throws ForayError UNKNOWN_CAMPAIGN, NOTHING_TO_ANALYZE; UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
   */
  analyze(id: string, options?: AnalyzeOptions): Promise<Analysis[]> {
    return analyze(this.context, id, options);
  }

  /**
   * What the selection of a campaign has done: its points, the best one first. Null of a campaign without a selection.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async selectStory(id: string): Promise<SelectStory | null> {
    const { campaign } = await recordOf(this.context, id);
    return storyOfSelect(this.store, campaign);
  }

  /**
   * Finished runs in design order, at any time. With `follow`, runs as they finish, until the campaign is over or its
   * workflow was terminated; the status tells which.
   * @throws ForayError UNKNOWN_CAMPAIGN; CAMPAIGN_CHANGED when columns change while it is followed
   */
  results(
    id: string,
    options?: { follow?: boolean; everyMs?: number },
  ): Promise<{ record: CampaignRecord; rows: AsyncIterable<ResultRow> }> {
    return reading.results(this.context, id, options);
  }

  /**
   * Runs that have finished since a look, newest first, a few hundred at most. A look is quick at any size of campaign.
   *
   * @param since the last look; without one, the last runs in the order of work
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async recentRows(id: string, since?: Look): Promise<RecentRows> {
    await recordOf(this.context, id);
    return this.store.lately(id, since);
  }

  /**
   * Number of a campaign's runs in each state, as the store knows them.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async counts(id: string): Promise<RunCounts> {
    await recordOf(this.context, id);
    return this.store.counts(id);
  }

  /**
   * The stored logs of failed runs of a campaign, some hundreds at most, in the order of work.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async failureLogs(id: string): Promise<StoredLog[]> {
    await recordOf(this.context, id);
    return this.store.runLogs(id);
  }

  /**
   * The log of the run that failed last; undefined where none is stored.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async lastFailureLog(id: string): Promise<StoredLog | undefined> {
    await recordOf(this.context, id);
    return this.store.lastRunLog(id);
  }

  /**
   * The output files of a campaign: from the store where it keeps them, else from the model service.
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
