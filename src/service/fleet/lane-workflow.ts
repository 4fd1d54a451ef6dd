import {
  ActivityFailure,
  CancellationScope,
  continueAsNew,
  defineQuery,
  proxyActivities,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { type ExecutorActivities, holderOf, type LaneInput, SERVED, type ServiceActivities } from './lane.ts';

/** A time that is longer than any lane. */
const LONGEST = '3650 days';

const { closeHolder } = proxyActivities<ServiceActivities>({
  startToCloseTimeout: '10s',
  // after an outage of the database, runs must not wait for a long pause to end
  retry: { maximumInterval: '5s' },
});

/**
 * A lane (lane.ts). When the work of an executor ends or is cancelled, or the executor is lost, the lane closes its
 * holder, and the runs of the holder wait again. While runs wait, the lane continues with another holder for the next
 * free executor. The keeper of the lanes closes the holder of a lane that was terminated.
 */
export async function lane(input: LaneInput): Promise<void> {
  // only a service that hosts this workflow can answer, so an answer shows that a service works for the lane
  setHandler(defineQuery(SERVED), () => true);
  const { work } = proxyActivities<ExecutorActivities>({
    taskQueue: input.executors,
    startToCloseTimeout: LONGEST,
    heartbeatTimeout: input.heartbeat,
    // another attempt would need another holder
    retry: { maximumAttempts: 1 },
  });
  let doRunsWait = true;
  for (let turn = 0; doRunsWait && !workflowInfo().continueAsNewSuggested; turn += 1) {
    const holder = holderOf(workflowInfo(), turn);
    let isLost = false;
    try {
      await work(holder);
    } catch (error) {
      // the executor has failed, was cancelled or is lost: this ends its work, but it is no error of the lane
      if (!(error instanceof ActivityFailure)) throw error;
      isLost = error.cause instanceof TimeoutFailure;
    }
    doRunsWait = await CancellationScope.nonCancellable(() => closeHolder(holder, isLost));
  }
  if (doRunsWait) await continueAsNew<typeof lane>(input);
}
