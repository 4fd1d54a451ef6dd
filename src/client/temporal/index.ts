import type { DataConverter } from '@temporalio/common';
import type { NoticeCall } from '../../campaign/notice.ts';
import type { FailureCause, FlightReport } from '../../campaign/types.ts';
import type { CampaignRecord } from '../../store/index.ts';
import type { Changed } from '../../workflows/messages.ts';
import type { Settings } from '../settings.ts';
import type * as calls from './calls.ts';
import type { Change } from './change.ts';
import type { TemporalConnection } from './connection.ts';
import { DEFAULT_NAMESPACE } from '../../temporal-errors.ts';
import type { Told } from './progress.ts';
import type { Started } from './start.ts';

export type { Change, Told };

type Calls = typeof calls;

/**
 * The client's calls to Temporal. Loading the SDK takes a third of a second and many commands need only the store, so
 * the SDK is loaded at the first call.
 */
export class Temporal {
  readonly #settings: Settings;
  readonly #converter: DataConverter;
  #connection: TemporalConnection | undefined;

  constructor(settings: Settings, converter: DataConverter = {}) {
    this.#settings = settings;
    this.#converter = converter;
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  /** Loads the SDK before the first call. */
  async load(): Promise<void> {
    await import('./calls.ts');
  }

  /** @throws ForayError TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED */
  async reach(): Promise<void> {
    await this.#call((_, connection) => connection.connect());
  }

  /** Whether Temporal answers. The time limits of connection and request add up to 2.4 s. */
  answers(): Promise<boolean> {
    return this.#call((calls, connection) => calls.answers(connection));
  }

  /** The page of a workflow in Temporal's Web UI. */
  pageOf(id: string, runId?: string): string {
    const { temporal, webUi } = this.#settings;
    const base = `${webUi.replace(/\/$/, '')}/namespaces/${temporal.namespace ?? DEFAULT_NAMESPACE}/workflows/${id}`;
    return runId ? `${base}/${runId}/history` : base;
  }

  /**
   * Starts the workflow of a campaign. `first` is for a new campaign, and `again` for a campaign that may have been
   * started before.
   */
  start(record: CampaignRecord, store: string, what: 'first' | 'again'): Promise<Started> {
    return this.#call((calls, connection) => calls.startWorkflow(connection, record, store, what));
  }

  /**
   * Starts a workflow that only stops the runs of a campaign, and cancels it with a reason. A workflow that somebody has
   * started meanwhile gets the cancel instead.
   */
  async startToStop(record: CampaignRecord, store: string, reason?: string): Promise<void> {
    await this.#call((calls, connection) => calls.startToStop(connection, record, store, reason));
  }

  /**
   * Starts the workflows that call notices, except those that exist already. They wait for a worker.
   * @throws ForayError TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED if one of them could not be started; the others are
   */
  async startNotices(calls: readonly NoticeCall[]): Promise<void> {
    if (calls.length > 0) await this.#call((known, connection) => known.startNotices(connection, calls));
  }

  /**
   * Changes a campaign through its running workflow, or through a new workflow that continues where the last workflow
   * ended.
   *
   * @param reason - why a new workflow starts. People read this text in Temporal's list of workflows
   * @throws ForayError CHANGE_REFUSED, and the mistakes of a definition; CAMPAIGN_CLOSED while the campaign is ending;
   *   WORKER_SILENT; CHANGE_PENDING after `withinMs`
   */
  change(
    record: CampaignRecord,
    store: string,
    request: Change,
    reason: string,
    withinMs?: number,
  ): Promise<Changed> {
    return this.#call((calls, connection) =>
      calls.changeCampaign(connection, record, store, request, reason, withinMs),
    );
  }

  /**
   * Ends the workflow that shall continue a closed campaign with a change. The campaign stays as it is.
   * @returns false when there is no such workflow
   */
  giveUpChange(record: CampaignRecord, reason?: string): Promise<boolean> {
    return this.#call((calls, connection) => calls.giveUpChange(connection, record, reason));
  }

  /** Whether a closed campaign has a change that is not made yet. False when Temporal does not answer. */
  hasOpenChange(record: CampaignRecord): Promise<boolean> {
    return this.#call((calls, connection) => calls.hasOpenChange(connection, record));
  }

  /** @returns false when there is no running workflow */
  signal(id: string, name: 'cancel' | 'pause' | 'resume' | 'stop', reason?: string): Promise<boolean> {
    return this.#call((calls, connection) => calls.signal(connection, id, name, reason));
  }

  /** Ends a workflow without its own work. Does nothing when there is no running workflow. */
  terminate(id: string, reason: string): Promise<void> {
    return this.#call((calls, connection) => calls.terminate(connection, id, reason));
  }

  /** Ends the workflow of a campaign that has just been deleted, if it still runs and Temporal answers. */
  endDeletedOf(record: CampaignRecord): Promise<void> {
    return this.#call((calls, connection) => calls.endDeletedOf(connection, record));
  }

  /**
   * Resolves when a worker has applied the number; false when there is no running workflow.
   * @throws ForayError WORKER_SILENT
   */
  setConcurrency(record: CampaignRecord, concurrency: number | 'auto'): Promise<boolean> {
    return this.#call((calls, connection) => calls.setConcurrency(connection, record, concurrency));
  }

  /** The id of a workflow's last execution; empty when Temporal no longer has the workflow. */
  runIdOf(id: string): Promise<string> {
    return this.#call((calls, connection) => calls.runIdOf(connection, id));
  }

  /** The id of the first of the executions that led to a workflow's last one; empty when Temporal no longer has them. */
  firstRunIdOf(id: string): Promise<string> {
    return this.#call((calls, connection) => calls.firstRunIdOf(connection, id));
  }

  /** Whether the workflow is known to be closed; false when Temporal does not answer, or has no such workflow. */
  isClosed(id: string): Promise<boolean> {
    return this.#call((calls, connection) => calls.isClosed(connection, id));
  }

  /** The requested runs that have not finished, from the workflow; undefined when the workflow does not answer. */
  flights(id: string): Promise<FlightReport[] | undefined> {
    return this.#call((calls, connection) => calls.flights(connection, id));
  }

  /** The failures by cause, from the workflow; undefined when the workflow does not answer. */
  failures(id: string): Promise<FailureCause[] | undefined> {
    return this.#call((calls, connection) => calls.failures(connection, id));
  }

  /** The workflow's answer about its progress, or why there is none. The time limits of the calls add up to 2.8 s. */
  progressOf(record: CampaignRecord): Promise<Told> {
    return this.#call((calls, connection) => calls.progressOf(connection, record));
  }

  /**
   * Why an open campaign cannot continue. Undefined when the campaign can continue, and when its workflow has just closed.
   * The time limits of the requests add up to 2.8 s.
   */
  blockedBy(record: CampaignRecord): Promise<string | undefined> {
    return this.#call((calls, connection) => calls.blockedBy(connection, record));
  }

  async #call<T>(make: (calls: Calls, connection: TemporalConnection) => Promise<T>): Promise<T> {
    const calls = await import('./calls.ts');
    this.#connection ??= new calls.TemporalConnection(this.#settings, this.#converter);
    return make(calls, this.#connection);
  }
}
