import type { Run, RunMessage, Version } from '../../api/resources.ts';
import { typeIn } from './identity.ts';
import type { StoredRun, SubRun } from './stored-run.ts';
import { inputsOf } from './parse-run-request.ts';

/** A run, as the service sends it in an answer (API specification, 2.8). */
export function runResource(run: StoredRun, { id, experimentTemplate }: Version, message: RunMessage): Run {
  return {
    id: run.id,
    inputs: inputsOf(experimentTemplate.inputs, run.experimentType).map((item) => ({
      ...item,
      // the request may have given the input a range or random type, instead of the template's type
      type: typeIn(run, item),
      value: run.inputs[item.name]!,
    })),
    modelVersionId: id,
    status: run.status,
    message: JSON.stringify(message),
    // a client asks for the outputs with another request (API specification, 2.7)
    outputs: null,
  };
}

/**
 * The `message` of a single run (API specification, 2.8). `progress` is the finished share from 0 to 1; `total` is that
 * share in percent. The title says why the run FAILED, why the service STOPPED it, or why it could not be executed so far.
 * Otherwise it is null.
 */
export function taskMessage({ status, failure }: Omit<SubRun, 'id'>, progress: number): RunMessage {
  const isDone = status === 'COMPLETED';
  return {
    title: failure,
    total: percent(isDone ? 1 : progress),
    finishedTasks: isDone ? 1 : 0,
    totalTasks: 1,
    subRuns: [],
  };
}

/** The `message` of a run with sub-runs. `executing` is the sum of the finished shares of its executing sub-runs. */
export function multipleMessage(
  { failure, tasks, tasksLeft }: StoredRun,
  executing: number,
  subRuns: RunMessage[],
): RunMessage {
  const finished = tasks! - tasksLeft!;
  return {
    title: failure,
    total: percent((finished + executing) / tasks!),
    finishedTasks: finished,
    totalTasks: tasks!,
    subRuns,
  };
}

function percent(share: number): number {
  return Math.round(share * 1000) / 10;
}
