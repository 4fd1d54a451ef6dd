import {
  Client,
  Connection,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, TypedSearchAttributes } from '@temporalio/common';
import { closedPhases, type FailureCause, type FlightReport, type Progress } from '../campaign/types.ts';
import { errorCodes, type ErrorCode, ForayError } from '../errors.ts';
import type { CampaignRecord } from '../store/index.ts';
import { modelAttribute, ownerAttribute, phaseAttribute } from '../workflows/attributes.ts';
import type { campaign as campaignWorkflow, CampaignInput } from '../workflows/index.ts';
import {
  applyUpdate,
  cancelSignal,
  type Changed,
  failuresQuery,
  flightsQuery,
  type KnownFiles,
  pauseSignal,
  progressQuery,
  resumeSignal,
  retryUpdate,
  type RetryWhat,
  setConcurrencyUpdate,
  stopSignal,
  TOO_LATE,
} from '../workflows/messages.ts';
import { type Trouble, troubleOf, unpolled } from './blocked.ts';
import type { Settings } from './settings.ts';

/** How long a question to a workflow may take before the store answers instead, ms. */
const ANSWER_MS = 1_200;
const CONNECT_MS = 5_000;
/** A step that a worker took on and was killed over is given to another after this; a step takes milliseconds. */
const STEP_TIMEOUT = '5s';

/** How long a workflow that is closing may take to be closed, ms. */
const CLOSING_MS = 30_000;
/** As Temporal limits it. */
const LONGEST_FAIRNESS_KEY = 64;
/** Characters; Temporal takes 400 bytes. */
const LONGEST_SUMMARY = 130;

const WITHOUT_ATTRIBUTES =
  'The Temporal server lacks the search attributes ForayModel, ForayPhase and ForayOwner; campaigns go on without them (docs/operations.md).';

/** What a workflow says of itself, if anything, and what holds it up. */
export interface Told extends Trouble {
  progress: Progress | undefined;
}

/** No worker answered for a workflow of this task queue. */
interface Silent {
  silentQueue: string;
}

export interface Started {
  /** The id of the execution: of the running one when there is one. */
  runId: string;
  /** What the user may want to know; empty mostly. */
  warning: string;
}

/** What a campaign's client does with Temporal; connects when it is first needed. */
export class TemporalSide {
  private readonly settings: Settings;
  /** One for all that ask at the same time. */
  private connecting: Promise<Connection> | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  async close(): Promise<void> {
    const connection = await this.connecting?.catch(() => undefined);
    await connection?.close();
  }

  /** @throws ForayError TEMPORAL_UNREACHABLE */
  async connect(timeout = CONNECT_MS): Promise<Client> {
    const { temporal } = this.settings;
    const connecting = (this.connecting ??= Connection.connect({
      ...temporal.connectionOptions,
      connectTimeout: timeout,
    }));
    const connection = await connecting.catch(() => {
      if (this.connecting === connecting) this.connecting = undefined;
      throw unreachable(this.settings);
    });
    return new Client({
      connection,
      ...(temporal.namespace && { namespace: temporal.namespace }),
    });
  }

  /**
   * Starts the workflow of a campaign that is new, or perhaps was started before, or a later one that only stops what an
   * earlier one left.
   */
  async start(
    record: CampaignRecord,
    store: string,
    what: 'first' | 'again' | 'stop-only',
  ): Promise<Started> {
    const { id } = record.campaign;
    const client = await this.connect();
    try {
      return await this.withAttributes(async (hasAttributes) => {
        const options = this.startOptions(
          record,
          store,
          hasAttributes,
          what === 'stop-only' ? { stopOnly: true } : {},
          what === 'stop-only' ? 'stop what an earlier execution left running' : undefined,
        );
        const handle = await client.workflow.start<typeof campaignWorkflow>('campaign', {
          ...options,
          // one that is over belongs to this campaign, unless the campaign is new: then to one that was deleted
          workflowIdReusePolicy:
            what === 'again' ? WorkflowIdReusePolicy.REJECT_DUPLICATE : WorkflowIdReusePolicy.ALLOW_DUPLICATE,
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
        });
        return handle.firstExecutionRunId;
      });
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError)
        return { runId: await this.ownRunIdOf(id, store), warning: '' };
      throw this.translated(error);
    }
  }

  /** Search attributes are left out where the cluster does not have them. */
  private async withAttributes(start: (hasAttributes: boolean) => Promise<string>): Promise<Started> {
    try {
      return { runId: await start(true), warning: '' };
    } catch (error) {
      const { details = '', message = '' } = grpcErrorIn(error) ?? {};
      if (!/search attribute/i.test(`${details} ${message}`)) throw error;
      return { runId: await start(false), warning: WITHOUT_ATTRIBUTES };
    }
  }

  private startOptions(
    { campaign }: CampaignRecord,
    store: string,
    hasAttributes: boolean,
    later: Pick<CampaignInput, 'stopOnly' | 'goesOn'> = {},
    reason?: string,
  ) {
    const { id, service, concurrency, failures, timeouts, model, name, priority } = campaign;
    const { owner } = this.settings;
    const summary = [`${name}: ${model.name}`, ...(reason === undefined ? [] : [`${reason}, by ${owner}`])];
    const input: CampaignInput = { campaign: id, service, store, concurrency, failures, timeouts, ...later };
    return {
      workflowId: id,
      taskQueue: this.settings.taskQueue,
      workflowTaskTimeout: STEP_TIMEOUT,
      args: [hasAttributes ? { ...input, hasAttributes } : input] as [CampaignInput],
      memo: {
        ...{ name, model: model.name, modelVersion: model.version, store },
        ...(reason !== undefined && { reason, by: owner }),
      },
      staticSummary: summary.join('; ').slice(0, LONGEST_SUMMARY),
      // campaigns on one fleet of workers take turns, those of a higher priority first
      priority: { priorityKey: priority, fairnessKey: id.slice(0, LONGEST_FAIRNESS_KEY) },
      ...(hasAttributes && {
        typedSearchAttributes: new TypedSearchAttributes([
          { key: modelAttribute, value: model.name },
          { key: phaseAttribute, value: 'preparing' },
          { key: ownerAttribute, value: owner },
        ]),
      }),
    };
  }

  /**
   * The run of a workflow that was started before, by an earlier submit of the same.
   * @throws ForayError CAMPAIGN_EXISTS when it belongs to another store at the same Temporal
   */
  private async ownRunIdOf(id: string, store: string): Promise<string> {
    const { memo, runId } = await (await this.connect()).workflow.getHandle(id).describe();
    // what an earlier foray started does not say
    if ((memo?.store ?? store) === store) return runId;
    throw new ForayError('CAMPAIGN_EXISTS', `A campaign "${id}" of another store exists in this Temporal.`, {
      hint: 'Take another --id.',
    });
  }

  async runIdOf(id: string): Promise<string> {
    const client = await this.connect();
    try {
      return (await client.workflow.getHandle(id).describe()).runId;
    } catch (error) {
      // Temporal forgets what is over after its retention; the store does not.
      if (error instanceof WorkflowNotFoundError) return '';
      throw this.translated(error);
    }
  }

  /** What the workflow says of itself, or why it says nothing. Never takes longer than two seconds. */
  async progress(id: string): Promise<Told> {
    try {
      const client = await this.connect(ANSWER_MS);
      const told = await client.withDeadline(Date.now() + ANSWER_MS, async (): Promise<Told | Silent> => {
        const handle = client.workflow.getHandle(id);
        const asked = handle.query(progressQuery).catch(() => undefined);
        // The one is waited for when the other fails, too: the SDK repeats a call that nobody waits for also when its
        // connection is closed, and breaks the program by that.
        const description = await handle.describe().finally(() => asked);
        const progress = await asked;
        const isOver =
          description.status.name !== 'RUNNING' && !closedPhases.includes(progress?.phase ?? 'running');
        if (isOver) {
          const what = description.status.name.toLowerCase();
          return {
            progress: undefined,
            why: `its workflow was ${what}; "foray cancel ${id}" stops its runs`,
            blocks: false,
          };
        }
        const trouble = troubleOf(description);
        if (progress) return { progress, why: '', blocks: false, ...trouble };
        return trouble ? { progress, ...trouble } : { silentQueue: description.taskQueue };
      });
      if (!('silentQueue' in told)) return told;
      const unworked = await unpolled(client, this.namespace, told.silentQueue);
      return {
        progress: undefined,
        why: unworked ?? 'no worker answered; is one running?',
        blocks: unworked !== undefined,
      };
    } catch (error) {
      return { progress: undefined, ...this.untold(error) };
    }
  }

  /** Why a campaign that is not over cannot go on; undefined while it does. Never takes longer than two seconds. */
  async blockedBy(id: string): Promise<string | undefined> {
    try {
      const client = await this.connect(ANSWER_MS);
      const description = await client.withDeadline(Date.now() + ANSWER_MS, () =>
        client.workflow.getHandle(id).describe(),
      );
      if (description.status.name !== 'RUNNING') return undefined;
      const trouble = troubleOf(description);
      return trouble?.blocks ? trouble.why : await unpolled(client, this.namespace, description.taskQueue);
    } catch (error) {
      const { why, blocks } = this.untold(error);
      return blocks ? why : undefined;
    }
  }

  private untold(error: unknown): Trouble {
    if (error instanceof WorkflowNotFoundError)
      return { why: 'Temporal does not know it (any more)', blocks: false };
    const { address } = this.settings.temporal.connectionOptions;
    return { why: `Temporal at ${address ?? 'its address'} did not answer`, blocks: true };
  }

  private get namespace(): string {
    return this.settings.temporal.namespace ?? 'default';
  }

  /** Whether the workflow is known to be closed: false when Temporal does not answer, or has none. */
  async isClosed(id: string): Promise<boolean> {
    const description = await this.query(id, (handle) => handle.describe());
    return description?.closeTime !== undefined;
  }

  /** @returns false when there is no running workflow to take it */
  signal(
    id: string,
    name: 'cancel' | 'pause' | 'resume' | 'stop',
    reason: string | undefined,
  ): Promise<boolean> {
    const signals = { cancel: cancelSignal, pause: pauseSignal, resume: resumeSignal, stop: stopSignal };
    return this.tell(id, (handle) =>
      handle.signal(signals[name].name, ...(reason === undefined ? [] : [reason])),
    );
  }

  /** Resolves when a worker has taken it in; false when there is no running workflow. */
  setConcurrency(id: string, concurrency: number | 'auto'): Promise<boolean> {
    return this.tell(id, (handle) => handle.executeUpdate(setConcurrencyUpdate, { args: [concurrency] }));
  }

  /**
   * Has a campaign changed, by its running workflow or by a new one that goes on where the last one ended; resolves to
   * what came of it.
   *
   * @param reason what a new workflow is begun for, for whoever reads the list of workflows
   * @throws ForayError CHANGE_REFUSED and whatever is wrong with a definition; CAMPAIGN_CLOSED while it is ending
   */
  async change(record: CampaignRecord, store: string, request: Change, reason: string): Promise<Changed> {
    const { id } = record.campaign;
    for (;;) {
      const changed = await this.changeOnce(record, store, request, reason);
      if (changed !== 'too-late') return changed;
      if (!(await this.isClosedSoon(id))) {
        throw new ForayError('CAMPAIGN_CLOSED', `The campaign "${id}" is ending.`, {
          hint: 'Try again when it has ended.',
        });
      }
    }
  }

  private async changeOnce(
    record: CampaignRecord,
    store: string,
    request: Change,
    reason: string,
  ): Promise<Changed | 'too-late'> {
    const client = await this.connect();
    let changed: Changed | undefined;
    try {
      await this.withAttributes(async (hasAttributes) => {
        const startWorkflowOperation = new WithStartWorkflowOperation<typeof campaignWorkflow>('campaign', {
          ...this.startOptions(record, store, hasAttributes, { goesOn: true }, reason),
          workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        });
        changed =
          'retry' in request
            ? await client.workflow.executeUpdateWithStart(retryUpdate, {
                args: request.version === undefined ? [request.retry] : [request.retry, request.version],
                startWorkflowOperation,
              })
            : await client.workflow.executeUpdateWithStart(applyUpdate, {
                args: [request.apply, request.files],
                startWorkflowOperation,
              });
        return '';
      });
      return changed!;
    } catch (error) {
      const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
      if (!(cause instanceof ApplicationFailure)) throw this.translated(error);
      if (cause.type === TOO_LATE || cause.type === ABANDONED) return 'too-late';
      const code = Object.hasOwn(errorCodes, cause.type ?? '') ? (cause.type as ErrorCode) : 'CHANGE_REFUSED';
      throw new ForayError(code, cause.message);
    }
  }

  /** Waits until the workflow is closed; false when it is not after a while. */
  async isClosedSoon(id: string): Promise<boolean> {
    const client = await this.connect();
    const handle = client.workflow.getHandle(id);
    try {
      return await client.withDeadline(Date.now() + CLOSING_MS, async () => {
        // how it ended is no matter
        await handle.result().catch((error: unknown) => {
          if (grpcErrorIn(error)) throw error;
        });
        return true;
      });
    } catch (error) {
      return error instanceof WorkflowNotFoundError;
    }
  }

  /** Runs in flight, and failures by cause, as the workflow knows them; undefined when it does not answer. */
  flights(id: string): Promise<FlightReport[] | undefined> {
    return this.query(id, (handle) => handle.query(flightsQuery));
  }

  failures(id: string): Promise<FailureCause[] | undefined> {
    return this.query(id, (handle) => handle.query(failuresQuery));
  }

  private async query<T>(id: string, ask: (handle: WorkflowHandle) => Promise<T>): Promise<T | undefined> {
    try {
      const client = await this.connect(ANSWER_MS);
      return await client.withDeadline(Date.now() + ANSWER_MS, () => ask(client.workflow.getHandle(id)));
    } catch {
      return undefined;
    }
  }

  private async tell(id: string, message: (handle: WorkflowHandle) => Promise<unknown>): Promise<boolean> {
    const client = await this.connect();
    try {
      await message(client.workflow.getHandle(id));
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw this.translated(error);
    }
  }

  pageOf(id: string, runId?: string): string {
    const { webUi, temporal } = this.settings;
    const base = `${webUi.replace(/\/$/, '')}/namespaces/${temporal.namespace ?? 'default'}/workflows/${id}`;
    return runId ? `${base}/${runId}/history` : base;
  }

  private translated(error: unknown): unknown {
    const grpc = grpcErrorIn(error);
    if (!grpc) return error;
    if (grpc.code === GRPC_UNAVAILABLE || grpc.code === GRPC_DEADLINE_EXCEEDED)
      return unreachable(this.settings);
    const { connectionOptions, namespace } = this.settings.temporal;
    return new ForayError(
      'TEMPORAL_REFUSED',
      `The Temporal server at ${connectionOptions.address} refuses (namespace "${namespace}"): ${grpc.details}.`,
      { hint: 'Check the TEMPORAL_* variables.' },
    );
  }
}

/** What a person asks for. */
export type Change =
  { retry: RetryWhat; version?: number | undefined } | { apply: string; files: KnownFiles };

/** What Temporal says of an update that a workflow had accepted and not finished when it was closed. */
const ABANDONED = 'AcceptedUpdateCompletedWorkflow';

const GRPC_DEADLINE_EXCEEDED = 4;
const GRPC_UNAVAILABLE = 14;

/** The gRPC error in what the SDK threw, which may wrap it. */
function grpcErrorIn(error: unknown): { code: number; details: string; message?: string } | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && 'details' in error) return error as { code: number; details: string };
  return 'cause' in error ? grpcErrorIn(error.cause) : undefined;
}

function unreachable({ temporal }: Settings): ForayError {
  const address = temporal.connectionOptions.address ?? 'localhost:7233';
  return new ForayError('TEMPORAL_UNREACHABLE', `The Temporal server at ${address} cannot be reached.`, {
    hint: 'Start one with "foray dev", or set TEMPORAL_ADDRESS.',
  });
}
