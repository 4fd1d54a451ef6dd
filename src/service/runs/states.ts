import type { RunStatus } from '../../api/constants.ts';

/**
 * The states of a run (specification 3) and every change between them that happens. Nothing else changes a status.
 *
 * - FRESH → RUNNING: an executor takes it. RUNNING → COMPLETED or FAILED: how the execution ended.
 * - FRESH or RUNNING → STOPPED: somebody stopped it.
 * - RUNNING → FRESH: the service ended while it ran; it is executed again from the start. An animated run is STOPPED.
 */
const transitions: Record<RunStatus, readonly RunStatus[]> = {
  FRESH: ['RUNNING', 'STOPPED'],
  RUNNING: ['COMPLETED', 'FAILED', 'STOPPED', 'FRESH'],
  COMPLETED: [],
  FAILED: [],
  STOPPED: [],
};

/** @throws Error when no run may go from one to the other: a fault of the service */
export function checkTransition(from: RunStatus, to: RunStatus): void {
  if (!transitions[from].includes(to)) throw new Error(`a run cannot go from ${from} to ${to}`);
}

/** True while a run may still come to something. */
export function isUnfinished(status: RunStatus): boolean {
  return transitions[status].length > 0;
}

/** True when the run answers for its identity: an identical request starts nothing. */
export function isLive(status: RunStatus): boolean {
  return status === 'COMPLETED' || isUnfinished(status);
}
