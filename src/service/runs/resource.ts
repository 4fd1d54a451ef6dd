import type { Run, RunMessage, Version } from '../../api/resources.ts';
import type { StoredRun } from './repository.ts';

/** Specification 2.8: a run as it is answered. `progress` is the share done, 0 to 1. */
export function runResource(run: StoredRun, { id, experimentTemplate }: Version, progress: number): Run {
  return {
    id: run.id,
    inputs: experimentTemplate.inputs.map((item) => ({ ...item, value: run.inputs[item.name]! })),
    modelVersionId: id,
    status: run.status,
    message: messageText(run, progress),
    outputs: null,
  };
}

/** The JSON text of `message` (2.8): `total` in percent; the title is why it FAILED, or why the service STOPPED it. */
export function messageText(run: StoredRun, progress: number): string {
  const message: RunMessage = {
    title: run.failure,
    total: Math.round(progress * 1000) / 10,
    finishedTasks: run.status === 'COMPLETED' ? 1 : 0,
    totalTasks: 1,
    subRuns: [],
  };
  return JSON.stringify(message);
}
