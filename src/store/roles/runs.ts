import type { RunLog } from '../../api/extensions.ts';
import type { Point, RunCounts } from '../../campaign/types.ts';

/** How a run got its result: a request of this campaign started it, or the service had it already. */
export type Origin = 'new' | 'reused';

/** A run that is about to be requested, with everything that the request needs. */
export interface PlannedRun {
  seq: number;
  point: Pick<Point, 'key' | 'values'>;
  replication: number;
  /** The number of requests since the last attempt that failed or was stopped, including this request. */
  attempt: number;
  /** The number of failures that the campaign's policy counts. */
  failures: number;
  /** How many times the run got another seed. */
  reseeded: number;
  /** The number of the model version that the run is requested with; null for the campaign's first version. */
  version: number | null;
}

/**
 * A run that was requested and has not finished as far as the store knows. `runId` is null if the response was lost.
 */
export interface OpenRun extends PlannedRun {
  runId: string | null;
  /**
   * False for a run that another campaign of this store started. This campaign never stops the run while the other
   * campaign waits for it.
   */
  owned: boolean;
  /** True for a run that another campaign had already started when this campaign requested it. */
  joined: boolean;
}

/** An observation of a run at the service. */
export type RunObservation = { seq: number } & (
  | { state: 'queued' | 'running'; runId: string; owned: boolean }
  /** `runId` is null when the results came without a request for the run. */
  | { state: 'done'; runId: string | null; origin: Origin; outputs: Record<string, string> }
  /** `isStopped`: the service stopped the run at somebody's request. */
  | { state: 'failed'; runId: string | null; reason: string; isStopped?: true }
  /** The request never reached the service, so it does not count. */
  | { state: 'unsent' }
  /** The attempt failed, and another attempt follows, perhaps with another seed. */
  | { state: 'again'; reason: string; reseeds: boolean }
  /**
   * The campaign no longer requests the run: the run was stopped, it goes on for another campaign, or the service does
   * not know it.
   */
  | { state: 'waiting' }
);

/** A point with its runs. Times are ms since the epoch. */
export interface PointStory {
  key: string;
  values: string[];
  /** The place of the point in the design, counted from 0; null if the design no longer has the point. */
  position: number | null;
  /** The runs in the order of their replications. */
  runs: RunStory[];
}

export interface RunStory {
  seq: number;
  replication: number;
  state: 'waiting' | 'intended' | 'queued' | 'running' | 'done' | 'failed';
  /** The number of requests since the last attempt that failed or was stopped. */
  attempts: number;
  /** The number of failed attempts that the campaign's policy counts. */
  failures: number;
  reseeded: number;
  runId: string | null;
  /** Whether another campaign had already started the run when this campaign requested it. */
  joined: boolean;
  origin: Origin | null;
  reason: string | null;
  requestedAt: number | null;
  finishedAt: number | null;
  outputs: Record<string, string>;
  /** The log of the last failed attempt, if it is stored. */
  log: RunLog | null;
  /** For a waiting run: the number of waiting runs with a lower seq, which are requested before it. */
  before: number | null;
  version: number | null;
  /** At most five failed attempts after which foray requested the run again, or will request it again, newest first. */
  earlier: FailedAttempt[];
}

/** A failed attempt after which foray requests the run again. `failedAt` is in ms since the epoch. */
export interface FailedAttempt {
  failedAt: number;
  version: number | null;
  reason: string;
}

/** The output that a run printed in a failed attempt. `cause` is the same for all failures of one kind. */
export interface KeptLog extends RunLog {
  seq: number;
  cause: string;
}

/** A stored log and its run. `reason` says why the run failed. */
export interface StoredLog extends KeptLog {
  point: string;
  replication: number;
  reason: string | null;
}

/** Runs: their states, their owners at the service, and the logs of failed runs. */
export interface RunStore {
  /**
   * Records the intent to request runs, before any request is made. Leaves out finished runs. Leaves out all runs
   * unless the campaign is preparing or running, so that nothing can be requested after a cancel.
   *
   * @param version - the number of the model version for runs that were never requested; null for the campaign's first
   * version
   */
  intend(id: string, seqs: readonly number[], now: number, version?: number | null): Promise<PlannedRun[]>;
  /**
   * Runs that were requested, or were about to be requested, and that have not finished. Without `seqs`, only the first
   * thousand runs.
   */
  openRuns(id: string, seqs?: readonly number[]): Promise<OpenRun[]>;
  observe(id: string, observations: readonly RunObservation[], now: number): Promise<void>;
  /**
   * Sets failed runs to waiting, as if they had never failed. With `reseeds`, they get another seed. The reasons of
   * their failures stay stored. Returns the number of runs.
   *
   * @param cause - if it is given, only runs that failed for this cause are reset
   */
  resetFailed(id: string, reseeds: boolean, now: number, cause?: string): Promise<number>;
  /**
   * The seqs of waiting runs above `after`, in ascending order. With `failedOnly`, only runs that were requested
   * before.
   */
  waitingRuns(id: string, after: number, limit: number, failedOnly: boolean): Promise<number[]>;
  /**
   * Opens a campaign whose workflow is closed, so that it can run again. Its open runs become waiting runs. The next
   * request finds them at the service.
   */
  reopen(id: string, now: number): Promise<void>;

  /** The given service runs that are also open runs of another campaign. */
  claimedByOthers(id: string, runIds: readonly string[]): Promise<Set<string>>;
  /** Hands the ownership of service runs over to the other campaigns that wait for them. */
  handOver(id: string, runIds: readonly string[]): Promise<void>;
  /** Records that a campaign is about to stop a service run. */
  recordStop(id: string, runId: string): Promise<void>;
  /** Whether a campaign of this store has stopped a service run, or was about to stop it. */
  wasStopped(runId: string): Promise<boolean>;

  counts(id: string): Promise<RunCounts>;
  /**
   * The number of completed runs that the campaign itself started, and the time in ms from the first request to the end
   * of the last of these runs.
   */
  newRuns(id: string): Promise<{ runs: number; ms: number }>;
  /** The first points whose key begins with `key`, at most five. */
  pointsLike(id: string, key: string): Promise<PointStory[]>;

  /** Stores logs of failed runs, and replaces the logs of earlier attempts. */
  keepRunLogs(id: string, logs: readonly KeptLog[], now: number): Promise<void>;
  /** Maps the seq of each run that has a log and is not done to the cause of its failure. */
  loggedRuns(id: string): Promise<Map<number, string>>;
  /** The stored logs, at most a few hundred, ordered by the seq of their run. */
  runLogs(id: string): Promise<StoredLog[]>;
  /** The log that was stored last. */
  lastRunLog(id: string): Promise<StoredLog | undefined>;
}
