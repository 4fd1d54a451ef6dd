import {
  ActivityFailure,
  CancellationScope,
  proxyActivities,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { type ExecutorActivities, holderOf, type LaneInput, type ServiceActivities } from './lane.ts';

/** A time that is longer than any lane. */
const LONGEST = '3650 days';

const { closeHolder } = proxyActivities<ServiceActivities>({ startToCloseTimeout: '10s' });

/**
 * A lane. When the work in the lane ends or is cancelled, the lane closes its holder, and the runs of the holder wait
 * again. The holder of a terminated lane is closed by the keeper of the lanes.
 */
export async function lane({ executors, heartbeat }: LaneInput): Promise<void> {
  const { work } = proxyActivities<ExecutorActivities>({
    taskQueue: executors,
    startToCloseTimeout: LONGEST,
    heartbeatTimeout: heartbeat,
    // another attempt would need another holder, and each holder belongs to one execution of a lane
    retry: { maximumAttempts: 1 },
  });
  const holder = holderOf(workflowInfo());
  let isLost = false;
  try {
    await work(holder);
  } catch (error) {
    isLost = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;
    // the executor has failed, was cancelled or is lost: this ends the lane, but it is no error of the lane
    if (!(error instanceof ActivityFailure)) throw error;
  } finally {
    await CancellationScope.nonCancellable(() => closeHolder(holder, isLost));
  }
}
