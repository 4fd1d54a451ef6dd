import {
  WithStartWorkflowOperation,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { closedPhases } from '../../campaign/types.ts';
import { isErrorCode } from '../../error-codes.ts';
import { ForayError } from '../../errors.ts';
import type { CampaignRecord } from '../../store/index.ts';
import type { campaign as campaignWorkflow } from '../../workflows/index.ts';
import {
  applyUpdate,
  type Changed,
  type KnownFiles,
  retryUpdate,
  type RetryWhat,
  setConcurrencyUpdate,
  TOO_LATE,
} from '../../workflows/messages.ts';
import type { TemporalConnection } from './connection.ts';
import { grpcErrorIn, isTooLate, translated } from '../../temporal-errors.ts';
import { answers, continuesClosed, describedWorkflow, isClosedSoon, signal, terminate } from './messages.ts';
import { NOBODY, progressOf } from './progress.ts';
import { startOptions, withAttributes } from './start.ts';

/** A change that a person requests. */
export type Change = (
  | { retry: RetryWhat; version?: number | undefined }
  | { apply: string; files: KnownFiles }
) & {
  /** Why the person requests the change. The notes of the campaign have this text. */
  reason?: string | undefined;
};

/** The gRPC code of an update that Temporal refuses because the workflow's last tasks timed out or failed. */
const GRPC_FAILED_PRECONDITION = 9;

/** Temporal's error type for an update that a workflow had accepted but not finished when the workflow closed. */
const ABANDONED = 'AcceptedUpdateCompletedWorkflow';

/** How long a worker may take to take up a change, ms. */
const PATIENCE_MS = 10_000;
/** How long a closing workflow may take to close, ms. */
const CLOSING_MS = 30_000;

/**
 * Changes a campaign through its running workflow, or through a new workflow that continues where the last workflow
 * ended.
 *
 * @param reason - why a new workflow starts. People read this text in Temporal's list of workflows
 * @param withinMs - how long to wait for a change that a worker has taken up; undefined for as long as it takes
 * @throws ForayError CHANGE_REFUSED, and the mistakes of a definition; CAMPAIGN_CLOSED while the campaign is ending;
 *   WORKER_SILENT; CHANGE_PENDING
 */
export async function changeCampaign(
  temporal: TemporalConnection,
  record: CampaignRecord,
  store: string,
  request: Change,
  reason: string,
  withinMs?: number,
): Promise<Changed> {
  const { id } = record.campaign;
  for (;;) {
    const changed = await changeOnce(temporal, record, store, request, reason, withinMs);
    if (changed !== 'too-late') return changed;
    if (!(await isClosedSoon(temporal, CLOSING_MS, id))) {
      throw new ForayError('CAMPAIGN_CLOSED', `The campaign "${id}" is ending.`, {
        hint: 'Try again when it has ended.',
      });
    }
  }
}

async function changeOnce(
  temporal: TemporalConnection,
  record: CampaignRecord,
  store: string,
  request: Change,
  reason: string,
  withinMs: number | undefined,
): Promise<Changed | 'too-late'> {
  const client = await temporal.connect();
  let isAccepted = false;
  try {
    const { result } = await withAttributes(async (hasAttributes) => {
      const startWorkflowOperation = new WithStartWorkflowOperation<typeof campaignWorkflow>('campaign', {
        ...startOptions(temporal, record, store, hasAttributes, { goesOn: true }, reason),
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      });
      const options = { waitForStage: 'ACCEPTED', startWorkflowOperation } as const;
      const accepted = await client.withDeadline(Date.now() + PATIENCE_MS, () =>
        'retry' in request
          ? client.workflow.startUpdateWithStart(retryUpdate, {
              ...options,
              args: [request.retry, request.version, request.reason],
            })
          : client.workflow.startUpdateWithStart(applyUpdate, {
              ...options,
              args: [request.apply, request.files, request.reason],
            }),
      );
      isAccepted = true;
      return withinMs === undefined
        ? accepted.result()
        : client.withDeadline(Date.now() + withinMs, () => accepted.result());
    });
    return result;
  } catch (error) {
    const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
    if (isAccepted && withinMs !== undefined && isLate(error)) throw await pending(temporal, record);
    if (!(cause instanceof ApplicationFailure)) throw await updateError(temporal, record, error);
    if (cause.type === TOO_LATE || cause.type === ABANDONED) return 'too-late';
    const type = cause.type ?? '';
    throw new ForayError(isErrorCode(type) ? type : 'CHANGE_REFUSED', cause.message);
  }
}

/**
 * Resolves when a worker has applied the number; false when there is no running workflow.
 * @throws ForayError WORKER_SILENT
 */
export async function setConcurrency(
  temporal: TemporalConnection,
  record: CampaignRecord,
  concurrency: number | 'auto',
): Promise<boolean> {
  const client = await temporal.connect();
  try {
    const handle = client.workflow.getHandle(record.campaign.id);
    await client.withDeadline(Date.now() + PATIENCE_MS, () =>
      handle.executeUpdate(setConcurrencyUpdate, { args: [concurrency] }),
    );
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw await updateError(temporal, record, error);
  }
}

/**
 * Converts an error of the SDK into a ForayError when Temporal does not pass an update on to the workflow, or no worker
 * takes it up in time. Temporal then keeps the update for a worker that answers later.
 */
async function updateError(
  temporal: TemporalConnection,
  record: CampaignRecord,
  error: unknown,
): Promise<unknown> {
  const isKept = isLate(error) && (await answers(temporal));
  if (!isKept && grpcErrorIn(error)?.code !== GRPC_FAILED_PRECONDITION)
    return translated(temporal.settings, error);
  const { why } = await progressOf(temporal, record);
  return new ForayError(
    'WORKER_SILENT',
    `The campaign "${record.campaign.id}" is not changed: ${why || NOBODY}.`,
    {
      hint: isKept
        ? 'The change may still be made when a worker answers.'
        : 'Try again when a worker answers.',
    },
  );
}

/** Whether a call has reached its deadline. The server may have cancelled the call before the client ended it. */
function isLate(error: unknown): boolean {
  return isTooLate(error) || error instanceof WorkflowUpdateRPCTimeoutOrCancelledError;
}

/** The error about a change that a worker has taken up and has not made in time. */
async function pending(temporal: TemporalConnection, record: CampaignRecord): Promise<ForayError> {
  const { id } = record.campaign;
  const { why } = await progressOf(temporal, record);
  const giveUp = closedPhases.includes(record.phase)
    ? ` "foray cancel ${id}" gives it up, and the campaign stays as it was.`
    : '';
  return new ForayError(
    'CHANGE_PENDING',
    `The change of the campaign "${id}" is accepted, and not made yet${why === '' ? '' : `: ${why}`}.`,
    { hint: `"foray status ${id}" and the page of the campaign show when it is made.${giveUp}` },
  );
}

/**
 * Ends the workflow that is to continue a closed campaign with a change, if it still runs. The campaign stays as it is.
 * @returns false when there is no such workflow
 */
export async function giveUpChange(
  temporal: TemporalConnection,
  record: CampaignRecord,
  reason: string | undefined,
): Promise<boolean> {
  const { id } = record.campaign;
  const description = await describedWorkflow(temporal, id);
  if (!description || !continuesClosed(description, record)) return false;
  const { runId } = description;
  await signal(temporal, id, 'cancel', reason);
  if (!(await isClosedSoon(temporal, PATIENCE_MS, id, runId)))
    await terminate(temporal, id, 'its change was cancelled; no worker answered', runId);
  return true;
}
