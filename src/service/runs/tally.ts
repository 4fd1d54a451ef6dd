import type { RunStatus } from '../../api/constants.ts';

/** The possible ends of a run. */
export const ENDS = ['COMPLETED', 'FAILED', 'STOPPED'] as const satisfies RunStatus[];
export type End = (typeof ENDS)[number];

/** Counts of ended single runs since the service started. */
export class Tally {
  readonly ended: Record<End, number> = { COMPLETED: 0, FAILED: 0, STOPPED: 0 };
  /** Runs whose execution was lost because the service or an executor ended. They are executed again. */
  repeated = 0;
}
