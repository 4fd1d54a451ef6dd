import { executeChild, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type * as activities from './activities.ts';

/** The most obvious way to use Temporal: a workflow with one child workflow per run. Each child has its own timer. */

const { request, poll, fetch } = proxyActivities<ReturnType<typeof activities.createActivities>>({
  startToCloseTimeout: '1 minute',
});

/** Keeps `window` children running until all runs have finished. Returns the number of correct results. */
export async function sweep(runs: number, window: number): Promise<number> {
  let [next, right] = [1, 0];
  const lane = async (): Promise<void> => {
    while (next <= runs) {
      const value = next++;
      const workflowId = `${workflowInfo().workflowId}-${value}`;
      if ((await executeChild(simulate, { workflowId, args: [value] })) === value) right += 1;
    }
  };
  await Promise.all(Array.from({ length: window }, lane));
  return right;
}

export async function simulate(value: number): Promise<number> {
  const runId = await request(value);
  do await sleep('1s');
  while (!(await poll(runId)));
  return fetch(runId);
}
