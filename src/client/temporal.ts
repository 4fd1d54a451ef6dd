import {
  Client,
  Connection,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { closedPhases, type Progress } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import type { CampaignRecord } from '../store/index.ts';
import type { campaign as campaignWorkflow, CampaignInput } from '../workflows/index.ts';
import {
  cancelSignal,
  pauseSignal,
  progressQuery,
  resumeSignal,
  setConcurrencyUpdate,
  stopSignal,
} from '../workflows/messages.ts';
import type { Settings } from './settings.ts';

/** How long a question to a workflow may take before the store answers instead, ms. */
const ANSWER_MS = 1_200;
const CONNECT_MS = 5_000;

/** What a campaign's client does with Temporal; connects when it is first needed. */
export class TemporalSide {
  private readonly settings: Settings;
  private connection: Connection | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  async close(): Promise<void> {
    await this.connection?.close();
  }

  /** @throws ForayError TEMPORAL_UNREACHABLE */
  async connect(timeout = CONNECT_MS): Promise<Client> {
    const { temporal } = this.settings;
    try {
      this.connection ??= await Connection.connect({
        ...temporal.connectionOptions,
        connectTimeout: timeout,
      });
    } catch {
      throw unreachable(this.settings);
    }
    return new Client({
      connection: this.connection,
      ...(temporal.namespace && { namespace: temporal.namespace }),
    });
  }

  /**
   * Starts the workflow of a campaign, or a later one under the same id that only stops what an earlier one left.
   * @returns the id of the execution: of the running one when there is one
   */
  async start({ campaign }: CampaignRecord, store: string, stopOnly?: 'stop-only'): Promise<string> {
    const client = await this.connect();
    const { id, service, concurrency, failures, model, name } = campaign;
    const input: CampaignInput = { campaign: id, service, store, concurrency, failures };
    if (stopOnly) input.stopOnly = true;
    try {
      const handle = await client.workflow.start<typeof campaignWorkflow>('campaign', {
        workflowId: id,
        taskQueue: this.settings.taskQueue,
        args: [input],
        workflowIdReusePolicy: stopOnly
          ? WorkflowIdReusePolicy.ALLOW_DUPLICATE
          : WorkflowIdReusePolicy.REJECT_DUPLICATE,
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
        memo: { name, model: model.name, modelVersion: model.version },
        staticSummary: `${name}: ${model.name}`,
      });
      return handle.firstExecutionRunId;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return this.runIdOf(id);
      throw this.translated(error);
    }
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

  /** What the workflow says of itself, or why it says nothing. Never takes longer than a second and a half. */
  async progress(id: string): Promise<{ progress: Progress } | { why: string }> {
    try {
      const client = await this.connect(ANSWER_MS);
      return await client.withDeadline(Date.now() + ANSWER_MS, async () => {
        const handle = client.workflow.getHandle(id);
        const [description, progress] = await Promise.all([
          handle.describe(),
          handle.query(progressQuery).catch(() => undefined),
        ]);
        const isOver =
          description.status.name !== 'RUNNING' && !closedPhases.includes(progress?.phase ?? 'running');
        if (isOver) {
          const what = description.status.name.toLowerCase();
          return { why: `its workflow was ${what}; "foray cancel ${id}" stops its runs` };
        }
        // An activity that fails again and again says why: a worker of another store, a service that is down.
        const stuck = description.raw.pendingActivities?.find(({ lastFailure }) => lastFailure?.message);
        const trouble = stuck ? `attempt ${stuck.attempt}: ${stuck.lastFailure!.message}` : '';
        if (!progress) return { why: trouble || 'no worker answered; is one running?' };
        return { progress: { ...progress, note: [progress.note, trouble].filter(Boolean).join('; ') } };
      });
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return { why: 'Temporal does not know it (any more)' };
      return { why: 'Temporal did not answer' };
    }
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

const GRPC_DEADLINE_EXCEEDED = 4;
const GRPC_UNAVAILABLE = 14;

/** The gRPC error in what the SDK threw, which may wrap it. */
function grpcErrorIn(error: unknown): { code: number; details: string } | undefined {
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
