import type { RunStatus } from '../../api/constants.ts';

type Transitions = Record<RunStatus, readonly RunStatus[]>;

/**
 * The states of a run (specification 3) and every change between them that happens. Nothing else changes a status.
 *
 * - FRESH → RUNNING: an executor takes it. RUNNING → COMPLETED or FAILED: how the execution ended.
 * - FRESH or RUNNING → STOPPED: somebody stopped it.
 * - RUNNING → FRESH: the service ended while it ran, or it could not be executed for lack of something that the system may have
 *   later; it is executed again from the start. An animated run is STOPPED.
 */
const single: Transitions = {
  FRESH: ['RUNNING', 'STOPPED'],
  RUNNING: ['COMPLETED', 'FAILED', 'STOPPED', 'FRESH'],
  COMPLETED: [],
  FAILED: [],
  STOPPED: [],
};

/**
 * The same of a run that consists of sub-runs, which follows them.
 *
 * - FRESH → RUNNING: the first of them runs, or is there already. RUNNING → COMPLETED: the last has completed.
 * - FRESH or RUNNING → FAILED: one has failed, or was stopped by itself, which may happen before any has run.
 * - FRESH or RUNNING → STOPPED: somebody stopped it.
 * - It stays RUNNING when the service ends: nothing of its own executes.
 */
const multiple: Transitions = {
  ...single,
  FRESH: ['RUNNING', 'FAILED', 'STOPPED'],
  RUNNING: ['COMPLETED', 'FAILED', 'STOPPED'],
};

/** @throws Error when no run may go from one to the other: a fault of the service */
export function checkTransition(from: RunStatus, to: RunStatus, hasSubRuns = false): void {
  if (!(hasSubRuns ? multiple : single)[from].includes(to)) {
    throw new Error(`a run cannot go from ${from} to ${to}`);
  }
}

/** True while a run may still come to something. */
export function isUnfinished(status: RunStatus): boolean {
  return single[status].length > 0;
}

/** True when the run answers for its identity: an identical request starts nothing. */
export function isLive(status: RunStatus): boolean {
  return status === 'COMPLETED' || isUnfinished(status);
}
