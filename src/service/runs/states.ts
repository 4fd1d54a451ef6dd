import type { RunStatus } from '../../api/constants.ts';

type Transitions = Record<RunStatus, readonly RunStatus[]>;

/**
 * The states of a run (specification 3) and all transitions between them. No other change of a status is possible.
 *
 * - FRESH → RUNNING: an executor takes it. RUNNING → COMPLETED or FAILED: how the execution ended.
 * - FRESH or RUNNING → STOPPED: somebody stopped it.
 * - RUNNING → FRESH: the service ended while it ran, or it could not be executed for lack of a resource of the system.
 * It is executed again from the start. An animated run is STOPPED.
 */
const single: Transitions = {
  FRESH: ['RUNNING', 'STOPPED'],
  RUNNING: ['COMPLETED', 'FAILED', 'STOPPED', 'FRESH'],
  COMPLETED: [],
  FAILED: [],
  STOPPED: [],
};

/**
 * The same for a run with sub-runs. It follows them.
 *
 * - FRESH → RUNNING: the first of them runs, or exists already. RUNNING → COMPLETED: the last has completed.
 * - FRESH or RUNNING → FAILED: one has failed, or was stopped separately, perhaps before any has run.
 * - FRESH or RUNNING → STOPPED: somebody stopped it.
 * - It stays RUNNING when the service ends, because only its sub-runs execute.
 */
const multiple: Transitions = {
  ...single,
  FRESH: ['RUNNING', 'FAILED', 'STOPPED'],
  RUNNING: ['COMPLETED', 'FAILED', 'STOPPED'],
};

/** @throws Error if this transition does not exist, which is a fault of the service */
export function checkTransition(from: RunStatus, to: RunStatus, hasSubRuns = false): void {
  if (!(hasSubRuns ? multiple : single)[from].includes(to)) {
    throw new Error(`a run cannot go from ${from} to ${to}`);
  }
}

/** True if a run may still complete. */
export function isUnfinished(status: RunStatus): boolean {
  return single[status].length > 0;
}

/** True if the run answers for its identity: an identical request starts no new run. */
export function isLive(status: RunStatus): boolean {
  return status === 'COMPLETED' || isUnfinished(status);
}
