import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { type ErrorCode, isErrorCode } from '../error-codes.ts';
import { saidOfStore } from '../store/index.ts';
import { buildOf, queueState, whyUnworked } from '../temporal-builds.ts';

/** Failures of an activity that usually only a person can fix. They block the campaign at the first attempt. */
const lasting: readonly ErrorCode[] = [
  'WORKER_ELSEWHERE',
  'KEY_REFUSED',
  'SERVICE_UNREACHABLE',
  'STORE_LOST',
  'STORE_UNREACHABLE',
  'STORE_NEWER',
  'UNKNOWN_NOTICE',
  'NOTICES_INVALID',
];
/** After this number of failed attempts, any failure blocks the campaign. */
const MANY_FAILURES = 2;
/** How long Temporal may take to say which workers poll a task queue, ms. */
const QUEUE_STATE_MS = 400;

/** The last failure of an activity. Temporal tries the activity again. */
export interface Trouble {
  why: string;
  /** Whether the campaign cannot continue until somebody fixes the cause. */
  blocks: boolean;
}

/**
 * Finds an open activity of a workflow and the failure of its last attempt. The cause may be a worker of another store,
 * a wrong key, or a service that is down. Undefined if no open activity has failed.
 */
export function troubleOf({ raw }: WorkflowExecutionDescription): Trouble | undefined {
  const stuck = raw.pendingActivities?.find(({ lastFailure }) => lastFailure?.message);
  if (!stuck) return undefined;
  // Temporal counts the attempt that comes next or runs now, so one attempt fewer has failed
  const failures = (stuck.attempt ?? 1) - 1;
  const type = stuck.lastFailure!.applicationFailureInfo?.type ?? '';
  const isLasting = isErrorCode(type) && lasting.includes(type);
  // the message of such an error may have the address of the store, which stays with the worker
  const said = isErrorCode(type) ? saidOfStore[type] : undefined;
  const message = said ? `${said.what} ${said.hint}` : stuck.lastFailure!.message!;
  return isLasting || failures >= MANY_FAILURES
    ? { why: message, blocks: true }
    : { why: `attempt ${failures} failed: ${message}`, blocks: false };
}

/** Says why no worker carries out the next step of a workflow. Undefined if a worker does, or if Temporal does not answer. */
export async function unworked(
  client: Client,
  namespace: string,
  description: WorkflowExecutionDescription,
): Promise<string | undefined> {
  const { taskQueue } = description;
  const state = await client
    .withDeadline(Date.now() + QUEUE_STATE_MS, () => queueState(client.connection, namespace, taskQueue))
    .catch(() => undefined);
  return state && whyUnworked(state, buildOf(description), taskQueue);
}
