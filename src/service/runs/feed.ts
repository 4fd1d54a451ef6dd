import type { RunLog } from '../../api/extensions.ts';
import type { CanonicalInputs } from './identity.ts';
import type { OutputTexts } from './stored-run.ts';

/** A run that a holder has claimed. */
export interface ClaimedRun {
  id: string;
  versionId: string;
  inputs: CanonicalInputs;
}

/** How the execution of a run has ended. */
export type Ending =
  | { runId: string; status: 'COMPLETED'; outputs: OutputTexts }
  /** `log` is its printed output, if it was executed. */
  | { runId: string; status: 'FAILED'; reason: string; log?: RunLog }
  /** An animated run has ended before its end; `reason` is null if somebody requested that. */
  | { runId: string; status: 'STOPPED'; reason: string | null }
  /** The run could not be executed, or was claimed and not begun: it waits again, as if it had not been claimed. */
  | { runId: string; status: 'FRESH' };

/** The holder was closed: what it held is FRESH again, and it claims no more. */
export class HolderClosed extends Error {
  override readonly name = 'HolderClosed';
}

/**
 * The seam between the queue and those who execute its runs: one holder of runs. It holds what it has claimed and not
 * reported.
 */
export interface Feed {
  /**
   * Claims the runs that were requested first, and makes them RUNNING.
   *
   * @param most - how many at most
   * @param without - ids of versions whose runs are not wanted
   * @throws HolderClosed
   */
  claim(most: number, without: readonly string[]): Promise<ClaimedRun[]>;
  /**
   * Writes how executions have ended. It may be repeated until it succeeds: the first completion of a run counts, and only
   * its holder may fail it.
   */
  report(endings: readonly Ending[]): Promise<void>;
  /** Notes the finished share of an executing run, 0 to 1. */
  progress(runId: string, fraction: number): void;
  /** Closes the holder: it claims no more, and the runs that it holds are FRESH again. */
  release(): Promise<void>;
  /** @param callback - called with the ids of held runs that must not be executed any more */
  whenEnded(callback: (runIds: readonly string[]) => void): void;
}
