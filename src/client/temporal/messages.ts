import {
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { FailureCause, FlightReport } from '../../campaign/types.ts';
import { isForayError } from '../../errors.ts';
import {
  cancelSignal,
  failuresQuery,
  flightsQuery,
  pauseSignal,
  resumeSignal,
  stopSignal,
} from '../../workflows/messages.ts';
import type { CampaignRecord } from '../../store/index.ts';
import type { TemporalConnection } from './connection.ts';
import { grpcErrorIn, translated } from '../../temporal-errors.ts';

/** The longest time to send a message to a workflow, ms. A reachable server takes it at once. */
const SIGNAL_MS = 20_000;
/** How long the workflow of a deleted campaign may take to end by itself, ms. */
const ENDING_MS = 5_000;

/** The id of a workflow's last execution; empty when Temporal no longer has the workflow. */
export async function runIdOf(temporal: TemporalConnection, id: string): Promise<string> {
  return (await describedWorkflow(temporal, id))?.runId ?? '';
}

/** The id of the first of the executions that led to a workflow's last one; empty when Temporal no longer has them. */
export async function firstRunIdOf(temporal: TemporalConnection, id: string): Promise<string> {
  const last = await describedWorkflow(temporal, id);
  return last?.raw.workflowExecutionInfo?.firstRunId || (last?.runId ?? '');
}

/** A workflow's last execution. Undefined when Temporal no longer has it, because its retention period is over. */
export async function describedWorkflow(
  temporal: TemporalConnection,
  id: string,
): Promise<WorkflowExecutionDescription | undefined> {
  const client = await temporal.connect();
  try {
    return await client.workflow.getHandle(id).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw translated(temporal.settings, error);
  }
}

/** Whether Temporal answers. An error is an answer too. The time limits of connection and request add up to 2.4 s. */
export async function answers(temporal: TemporalConnection): Promise<boolean> {
  try {
    await temporal.ask((client) => client.workflowService.getSystemInfo({}));
    return true;
  } catch (error) {
    const known = translated(temporal.settings, error);
    return isForayError(known) && known.code === 'TEMPORAL_REFUSED';
  }
}

/** Whether the workflow is known to be closed; false when Temporal does not answer, or has no such workflow. */
export async function isClosed(temporal: TemporalConnection, id: string): Promise<boolean> {
  const description = await query(temporal, id, (handle) => handle.describe());
  return description?.closeTime !== undefined;
}

/** @returns false when there is no running workflow */
export async function signal(
  temporal: TemporalConnection,
  id: string,
  name: 'cancel' | 'pause' | 'resume' | 'stop',
  reason: string | undefined,
): Promise<boolean> {
  const signals = { cancel: cancelSignal, pause: pauseSignal, resume: resumeSignal, stop: stopSignal };
  const client = await temporal.connect();
  try {
    await client.withDeadline(Date.now() + SIGNAL_MS, () =>
      client.workflow.getHandle(id).signal(signals[name].name, ...(reason === undefined ? [] : [reason])),
    );
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw translated(temporal.settings, error);
  }
}

/** Ends a workflow without its own work. Does nothing when there is no running workflow. */
export async function terminate(
  temporal: TemporalConnection,
  id: string,
  reason: string,
  runId?: string,
): Promise<void> {
  const client = await temporal.connect();
  try {
    await client.withDeadline(Date.now() + SIGNAL_MS, () =>
      client.workflow.getHandle(id, runId).terminate(reason),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw translated(temporal.settings, error);
  }
}

/** Whether a workflow belongs to a campaign, and not to a deleted one that had the same id. */
export function isOf({ memo }: WorkflowExecutionDescription, { createdAt }: CampaignRecord): boolean {
  return memo?.createdAt === createdAt;
}

/** Whether a workflow that continues a closed campaign is running. The first workflow of a campaign has no reason. */
export function continuesClosed(description: WorkflowExecutionDescription, record: CampaignRecord): boolean {
  const { status, memo } = description;
  return status.name === 'RUNNING' && memo?.['reason'] !== undefined && isOf(description, record);
}

/** Whether a closed campaign has a change that is not made yet. False when Temporal does not answer. */
export async function hasOpenChange(temporal: TemporalConnection, record: CampaignRecord): Promise<boolean> {
  const description = await query(temporal, record.campaign.id, (handle) => handle.describe());
  return description !== undefined && continuesClosed(description, record);
}

/** Ends the workflow of a campaign that has just been deleted, if it still runs. */
export async function endDeletedOf(temporal: TemporalConnection, record: CampaignRecord): Promise<void> {
  const { id } = record.campaign;
  const description = await query(temporal, id, (handle) => handle.describe());
  // without an answer of Temporal, the workflow ends at its next step
  if (description?.status.name === 'RUNNING' && isOf(description, record))
    await endDeleted(temporal, id, description.runId);
}

/**
 * Ends an execution of a deleted campaign. With a worker, it first tells the end of the campaign and ends by itself.
 * Without a worker, it is terminated.
 */
export async function endDeleted(temporal: TemporalConnection, id: string, runId: string): Promise<void> {
  if (!(await isClosedSoon(temporal, ENDING_MS, id, runId)))
    await terminate(temporal, id, 'its campaign was deleted', runId);
}

/** Waits until the workflow is closed; false when that takes too long. */
export async function isClosedSoon(
  temporal: TemporalConnection,
  withinMs: number,
  id: string,
  runId?: string,
): Promise<boolean> {
  const client = await temporal.connect();
  const handle = client.workflow.getHandle(id, runId);
  try {
    return await client.withDeadline(Date.now() + withinMs, async () => {
      // the result does not matter, and a failed workflow is closed too
      await handle.result().catch((error: unknown) => {
        if (grpcErrorIn(error)) throw error;
      });
      return true;
    });
  } catch (error) {
    return error instanceof WorkflowNotFoundError;
  }
}

/** The requested runs that have not finished, from the workflow; undefined when the workflow does not answer. */
export function flights(temporal: TemporalConnection, id: string): Promise<FlightReport[] | undefined> {
  return query(temporal, id, (handle) => handle.query(flightsQuery));
}

/** The failures by cause, from the workflow; undefined when the workflow does not answer. */
export function failures(temporal: TemporalConnection, id: string): Promise<FailureCause[] | undefined> {
  return query(temporal, id, (handle) => handle.query(failuresQuery));
}

async function query<T>(
  temporal: TemporalConnection,
  id: string,
  ask: (handle: WorkflowHandle) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await temporal.ask((client) => ask(client.workflow.getHandle(id)));
  } catch {
    return undefined;
  }
}
