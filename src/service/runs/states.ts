import type { RunStatus } from '../../api/constants.ts';

type Transitions = Record<RunStatus, readonly RunStatus[]>;

/**
 * The states of a run (specification 3) and all transitions between them. No other change of a status is possible: each
 * statement that changes a status names the states that {@link statesBefore} gives, or changes runs that its
 * transaction has just selected or added.
 *
 * - FRESH → RUNNING: a holder claims the run.
 * - RUNNING → COMPLETED or FAILED: the execution ended. A run whose holder was lost too often becomes FAILED, too.
 * - FRESH → COMPLETED: a former holder of the run has executed it to its end.
 * - FRESH or RUNNING → STOPPED: a client or the service stopped the run.
 * - RUNNING → FRESH: the holder was lost, or gave the run back, for example because a resource of the system was
 *   missing. The run is executed again from the start. An animated run becomes STOPPED instead.
 */
const single: Transitions = {
  FRESH: ['RUNNING', 'COMPLETED', 'STOPPED'],
  RUNNING: ['COMPLETED', 'FAILED', 'STOPPED', 'FRESH'],
  COMPLETED: [],
  FAILED: [],
  STOPPED: [],
};

/**
 * The states and transitions of a run with sub-runs. Its state follows the states of the sub-runs.
 *
 * - FRESH → RUNNING: the first sub-run executes, or had begun before this run was added.
 * - FRESH or RUNNING → COMPLETED: all sub-runs have completed.
 * - FRESH or RUNNING → FAILED: a sub-run has failed, or somebody stopped this sub-run alone. This may happen before any
 *   sub-run was executed.
 * - FRESH or RUNNING → STOPPED: somebody stopped the run with sub-runs.
 * - The run stays RUNNING when the service ends, because only its sub-runs execute.
 */
const multiple: Transitions = {
  ...single,
  FRESH: ['RUNNING', 'COMPLETED', 'FAILED', 'STOPPED'],
  RUNNING: ['COMPLETED', 'FAILED', 'STOPPED'],
};

/** The states from which a run may go to `to`, as a list in SQL. */
export function statesBefore(to: RunStatus, { hasSubRuns }: { hasSubRuns: boolean }): string {
  const transitions = hasSubRuns ? multiple : single;
  const before = (Object.keys(transitions) as RunStatus[]).filter((from) => transitions[from].includes(to));
  return `(${before.map((state) => `'${state}'`).join(', ')})`;
}

export function isUnfinished(status: RunStatus): boolean {
  return single[status].length > 0;
}

/** True if the run is live: an identical request gets this run and starts no new one. */
export function isLive(status: RunStatus): boolean {
  return status === 'COMPLETED' || isUnfinished(status);
}
