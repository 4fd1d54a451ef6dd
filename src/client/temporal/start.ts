import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { type NoticeCall, workflowIdOf } from '../../campaign/notice.ts';
import { ForayError } from '../../errors.ts';
import type { CampaignRecord } from '../../store/index.ts';
import { cancelSignal } from '../../workflows/messages.ts';
import { modelAttribute, ownerAttribute, phaseAttribute } from '../../workflows/search-attributes.ts';
import type { campaign as campaignWorkflow, CampaignInput, notice } from '../../workflows/index.ts';
import type { TemporalConnection } from './connection.ts';
import { endDeleted, isOf } from './messages.ts';
import { grpcErrorIn, translated } from '../../temporal-errors.ts';

/**
 * The timeout of a workflow task. When a worker dies during a task, another worker gets the task after this time. A
 * task takes milliseconds.
 */
const STEP_TIMEOUT = '5s';
/** Temporal's limit for a fairness key, in characters. */
const LONGEST_FAIRNESS_KEY = 64;
/** The longest summary, in characters. Temporal's limit is 400 bytes. */
const LONGEST_SUMMARY = 130;

const WITHOUT_ATTRIBUTES =
  'The Temporal server lacks the search attributes ForayModel, ForayPhase and ForayOwner; campaigns run without them (docs/guides/operations.md).';

export interface Started {
  /** The id of the new execution, or of the execution that was already running. */
  runId: string;
  /** A warning for the user; empty if there is no warning. */
  warning: string;
}

/**
 * Starts the workflow of a campaign. `first` is for a new campaign, and `again` for a campaign that may have been
 * started before.
 */
export async function startWorkflow(
  temporal: TemporalConnection,
  record: CampaignRecord,
  store: string,
  what: 'first' | 'again',
): Promise<Started> {
  const client = await temporal.connect();
  // a closed workflow with the id of a new campaign belongs to a deleted campaign
  let workflowIdReusePolicy: WorkflowIdReusePolicy =
    what === 'again' ? WorkflowIdReusePolicy.REJECT_DUPLICATE : WorkflowIdReusePolicy.ALLOW_DUPLICATE;
  for (;;) {
    try {
      const { result, warning } = await withAttributes(async (hasAttributes) => {
        const handle = await client.workflow.start<typeof campaignWorkflow>('campaign', {
          ...startOptions(temporal, record, store, hasAttributes),
          workflowIdReusePolicy,
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
        });
        return handle.firstExecutionRunId;
      });
      return { runId: result, warning };
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError))
        throw translated(temporal.settings, error);
      const runId = await ownRunIdOf(temporal, record, store);
      if (runId !== undefined) return { runId, warning: '' };
      workflowIdReusePolicy = WorkflowIdReusePolicy.ALLOW_DUPLICATE;
    }
  }
}

/**
 * Starts a workflow that only stops the runs of a campaign, and sends it a cancel, which has the reason. A workflow that
 * somebody has started meanwhile gets the cancel instead.
 */
export async function startToStop(
  temporal: TemporalConnection,
  record: CampaignRecord,
  store: string,
  reason: string | undefined,
): Promise<void> {
  const client = await temporal.connect();
  const why = 'stop the runs that an earlier execution left';
  try {
    await withAttributes((hasAttributes) =>
      client.workflow.signalWithStart<typeof campaignWorkflow, [reason?: string]>('campaign', {
        ...startOptions(temporal, record, store, hasAttributes, { stopOnly: true }, why),
        signal: cancelSignal,
        signalArgs: reason === undefined ? [] : [reason],
      }),
    );
  } catch (error) {
    throw translated(temporal.settings, error);
  }
}

/**
 * Starts the workflows that call notices, except those that exist already. After an error, it still starts the others.
 * @throws ForayError TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED if it could not start one of them
 */
export async function startNotices(
  temporal: TemporalConnection,
  calls: readonly NoticeCall[],
): Promise<void> {
  const client = await temporal.connect();
  const starts = calls.map((call) =>
    client.workflow.start<typeof notice>('notice', {
      workflowId: workflowIdOf(call),
      taskQueue: temporal.settings.taskQueue,
      args: [call],
      staticSummary: `${call.message.type} of ${call.message.data.campaign}`,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
    }),
  );
  for (const start of await Promise.allSettled(starts)) {
    if (start.status === 'fulfilled' || start.reason instanceof WorkflowExecutionAlreadyStartedError)
      continue;
    throw translated(temporal.settings, start.reason);
  }
}

/** Starts a workflow, without search attributes when the Temporal server does not have them. */
export async function withAttributes<Result>(
  start: (hasAttributes: boolean) => Promise<Result>,
): Promise<{ result: Result; warning: string }> {
  try {
    return { result: await start(true), warning: '' };
  } catch (error) {
    const { details = '', message = '' } = grpcErrorIn(error) ?? {};
    if (!/search attribute/i.test(`${details} ${message}`)) throw error;
    return { result: await start(false), warning: WITHOUT_ATTRIBUTES };
  }
}

/** The options of a campaign's workflow. Only a workflow that is not the campaign's first has `later` and `reason`. */
export function startOptions(
  temporal: TemporalConnection,
  { campaign, createdAt, owner: submitter }: CampaignRecord,
  store: string,
  hasAttributes: boolean,
  later: Pick<CampaignInput, 'stopOnly' | 'goesOn'> = {},
  reason?: string,
) {
  const { id, service, concurrency, failures, timeouts, notify, model, name, priority } = campaign;
  const { owner, page } = temporal.settings;
  const summary = [`${name}: ${model.name}`, ...(reason === undefined ? [] : [`${reason}, by ${owner}`])];
  const input = { campaign: id, createdAt, service, store, concurrency, failures, timeouts, notify };
  return {
    workflowId: id,
    taskQueue: temporal.settings.taskQueue,
    workflowTaskTimeout: STEP_TIMEOUT,
    args: [{ ...input, ...later, ...(hasAttributes && { hasAttributes }) }] satisfies [CampaignInput],
    memo: {
      name,
      model: model.name,
      modelVersion: model.version,
      store,
      createdAt,
      ...(reason !== undefined && { reason, by: owner }),
    },
    staticSummary: summary.join('; ').slice(0, LONGEST_SUMMARY),
    ...(page !== undefined && {
      staticDetails: `[The page of the campaign](${page}/campaigns/${encodeURIComponent(id)})`,
    }),
    // campaigns on the same workers take turns, and campaigns with a higher priority come first
    priority: { priorityKey: priority, fairnessKey: id.slice(0, LONGEST_FAIRNESS_KEY) },
    ...(hasAttributes && {
      typedSearchAttributes: new TypedSearchAttributes([
        { key: modelAttribute, value: model.name },
        { key: phaseAttribute, value: 'preparing' },
        { key: ownerAttribute, value: submitter ?? owner },
      ]),
    }),
  };
}

/**
 * The id of the execution that an earlier call for the same campaign started. If the execution belongs to a deleted
 * campaign, ends it and returns undefined.
 * @throws ForayError CAMPAIGN_EXISTS when the execution belongs to another store on the same Temporal server
 */
async function ownRunIdOf(
  temporal: TemporalConnection,
  record: CampaignRecord,
  store: string,
): Promise<string | undefined> {
  const { id } = record.campaign;
  const description = await (await temporal.connect()).workflow.getHandle(id).describe();
  const { memo, runId } = description;
  if (memo?.store === store) {
    if (isOf(description, record)) return runId;
    await endDeleted(temporal, id, runId);
    return undefined;
  }
  throw new ForayError(
    'CAMPAIGN_EXISTS',
    `A campaign "${id}" of another store exists on this Temporal server.`,
    { hint: 'Choose another id (--id; in HTTP, in the address).' },
  );
}
