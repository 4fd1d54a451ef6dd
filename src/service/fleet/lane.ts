/**
 * In a lane, an executor works for a service. A lane is a workflow. Its activity `work` lasts while there is work. Then
 * its activity `closeHolder` ends the use of the holder, which is the id under which the executor has claimed runs.
 *
 * An executor holds runs only in a lane, so the end of the lane is the one place where it loses them. The executor is
 * lost if Temporal gets no heartbeat of `work` within {@link LOST_AFTER}. Nothing else decides that.
 */

/** How long an executor may send no heartbeat before it counts as lost, and its runs go to another one, ms. */
export const LOST_AFTER = 15_000;

export interface LaneInput {
  /** The task queue from which executors take lanes. */
  executors: string;
  /** How long an executor may send no heartbeat to Temporal before it counts as lost, in milliseconds. */
  heartbeat: number;
}

export interface ExecutorActivities {
  /** Claims and executes runs until no runs have waited for some seconds, or the executor drains or leaves. */
  work(holder: string): Promise<void>;
}

/** The query that a lane answers while a service works for it. An executor asks it when the service does not answer. */
export const SERVED = 'served';

export interface ServiceActivities {
  /** Closes a holder, whose executor may be lost, so that its runs wait again. Returns whether any runs wait. */
  closeHolder(holder: string, isLost: boolean): Promise<boolean>;
}

export function laneQueues(service: string): { lanes: string; executors: string } {
  return { lanes: `foray-lanes-${service}`, executors: `foray-executors-${service}` };
}

export function laneId(service: string, index: number): string {
  return `lane-${service}-${index}`;
}

/** An execution of a lane. */
export interface Lane {
  workflowId: string;
  runId: string;
}

/** The id of the holder for a turn (from 0) of an execution of a lane. Temporal never uses the same `runId` again. */
export function holderOf({ workflowId, runId }: Lane, turn: number): string {
  return `${workflowId}/${runId}/${turn}`;
}

/** The execution of a lane to which a holder belongs. */
export function laneOf(holder: string): Lane {
  const [workflowId = '', runId = ''] = holder.split('/');
  return { workflowId, runId };
}
