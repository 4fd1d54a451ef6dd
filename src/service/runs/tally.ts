import type { RunStatus } from '../../api/constants.ts';

/** The possible ends of a run. */
export const ENDS = ['COMPLETED', 'FAILED', 'STOPPED'] as const satisfies RunStatus[];
export type End = (typeof ENDS)[number];

/** Counts of events in the queue of single runs, either in one transaction or since the service started. */
export class Tally {
  readonly ended: Record<End, number> = { COMPLETED: 0, FAILED: 0, STOPPED: 0 };
  /** Claims of executors, including claims that found no run. */
  claims = 0;
  /** Runs that executors have claimed. */
  claimed = 0;
  /** Reports of executors about how executions have ended. */
  reports = 0;
  /** Runs whose executor was lost. */
  lost = 0;
  /** Runs that lost their execution because the service or an executor ended. They are executed again. */
  repeated = 0;

  add(other: Tally): void {
    for (const end of ENDS) this.ended[end] += other.ended[end];
    this.claims += other.claims;
    this.claimed += other.claimed;
    this.reports += other.reports;
    this.lost += other.lost;
    this.repeated += other.repeated;
  }
}
