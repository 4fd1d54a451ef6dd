import type { RunLog } from '../../api/extensions.ts';
import type { CanonicalInputs } from './identity.ts';
import type { OutputTexts } from './stored-run.ts';

/** A run that a holder has claimed. A holder is a service, or a lane in which an executor on another machine works. */
export interface ClaimedRun {
  id: string;
  versionId: string;
  inputs: CanonicalInputs;
  /** The trace in which it was requested, as the value of the header `traceparent`, if it is known. */
  trace?: string | undefined;
}

/** The end of an execution of a run. */
export type Ending =
  | { runId: string; status: 'COMPLETED'; outputs: OutputTexts }
  /** `log` is its printed output, if it was executed. */
  | { runId: string; status: 'FAILED'; reason: string; log?: RunLog }
  /** An animated run was stopped before its normal end. `reason` is null if a client requested that. */
  | { runId: string; status: 'STOPPED'; reason: string | null }
  /**
   * The run could not be executed, for a reason, or was claimed but not begun. It waits again, as if it had not been
   * claimed. `isLasting`: this may happen to a run only a limited number of times (see `Deferred`).
   */
  | { runId: string; status: 'FRESH'; reason?: string | undefined; isLasting?: boolean | undefined };

/** The holder was closed. The runs that it held are FRESH again, and it claims no more runs. */
export class HolderClosed extends Error {
  override readonly name = 'HolderClosed';
}

/**
 * The interface between the queue and one holder, which executes runs of the queue. The holder holds the runs that it
 * has claimed but not reported.
 */
export interface Feed {
  /**
   * Claims the oldest requested runs, and makes them RUNNING.
   *
   * @param most - the largest number of runs
   * @param without - ids of versions whose runs are not wanted
   * @throws HolderClosed
   */
  claim(most: number, without: readonly string[]): Promise<ClaimedRun[]>;
  /**
   * Writes how executions have ended. The call may be repeated until it succeeds. The first completion of a run counts,
   * and only the holder of a run may fail it.
   */
  report(endings: readonly Ending[]): Promise<void>;
  /** Notes the finished share of an executing run, 0 to 1. */
  progress(runId: string, fraction: number): void;
  /** @param callback - called with the ids of held runs that must not be executed any more */
  whenEnded(callback: (runIds: readonly string[]) => void): void;
}
