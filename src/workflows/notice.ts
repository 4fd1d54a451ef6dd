import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  proxyActivities,
  setWorkflowOptions,
  startChild,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { HEARTBEAT_TIMEOUT } from '../campaign/heartbeat.ts';
import type { Activities } from '../activities/index.ts';
import { callsOf, type NoticeCall, type NoticeType, workflowIdOf } from '../campaign/notice.ts';
import type { Context } from './context.ts';
import { commonestFirst, progressOf } from './state.ts';

const { notify } = proxyActivities<Pick<Activities, 'notify'>>({
  // a receiver that is down for a weekend still gets its notice
  scheduleToCloseTimeout: '7 days',
  startToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  // for a worker that dies; a call that fails says itself when the next one is
  retry: { initialInterval: '1s', backoffCoefficient: 1 },
});

/** Calls one notice until its receiver has taken the message. */
export async function notice(call: NoticeCall): Promise<void> {
  await notify.executeWithOptions({ summary: call.name }, [call]);
}

// A notice that nobody takes must not keep the build alive that its campaign began with. A worker without versions must
// not name a behaviour: its workflow tasks would then never end.
setWorkflowOptions(
  () =>
    workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'AUTO_UPGRADE' } : {},
  notice,
);

/**
 * Tells an event of the campaign to its notices. Each notice has its own workflow, which outlives the campaign, so the
 * campaign waits for no receiver.
 */
export async function tell({ input, state }: Context, type: NoticeType): Promise<void> {
  const { notify: names = [] } = state.settings;
  if (names.length === 0) return;
  const now = Date.now();
  const { phase, points, runs, note } = progressOf(state, now);
  const [failure = null] = commonestFirst(state.causes);
  const data = { campaign: input.campaign, phase, points, runs, note, failure };
  // the end has one id, so that a repeated notice of it is recognised
  const id = type === 'campaign.ended' ? workflowInfo().firstExecutionRunId : uuid4();
  await CancellationScope.nonCancellable(() =>
    Promise.all(
      callsOf(names, type, { ...data, id, now }).map((call) =>
        startChild(notice, {
          args: [call],
          workflowId: workflowIdOf(call),
          staticSummary: `${type} of ${input.campaign}`,
          parentClosePolicy: ParentClosePolicy.ABANDON,
          cancellationType: ChildWorkflowCancellationType.ABANDON,
        }).catch(ignoreExisting),
      ),
    ),
  );
}

/** The event has been told already, or is being told. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
}
