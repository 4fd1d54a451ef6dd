import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
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
import type { TemporalConnection } from './connection.ts';
import { translated } from '../../temporal-errors.ts';

/** The longest time to send a message to a workflow, ms. A reachable server takes it at once. */
const SIGNAL_MS = 20_000;

/** The id of a workflow's last execution; empty when Temporal no longer has the workflow. */
export async function runIdOf(temporal: TemporalConnection, id: string): Promise<string> {
  const client = await temporal.connect();
  try {
    return (await client.workflow.getHandle(id).describe()).runId;
  } catch (error) {
    // Temporal deletes closed workflows after its retention period. The store keeps the campaign.
    if (error instanceof WorkflowNotFoundError) return '';
    throw translated(temporal.settings, error);
  }
}

/** The id of the first of the executions that led to a workflow's last one; empty when Temporal no longer has them. */
export async function firstRunIdOf(temporal: TemporalConnection, id: string): Promise<string> {
  const client = await temporal.connect();
  try {
    const { raw, runId } = await client.workflow.getHandle(id).describe();
    return raw.workflowExecutionInfo?.firstRunId || runId;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return '';
    throw translated(temporal.settings, error);
  }
}

/** Whether Temporal answers. An error is an answer too. */
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
export async function terminate(temporal: TemporalConnection, id: string, reason: string): Promise<void> {
  const client = await temporal.connect();
  try {
    await client.withDeadline(Date.now() + SIGNAL_MS, () => client.workflow.getHandle(id).terminate(reason));
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw translated(temporal.settings, error);
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
