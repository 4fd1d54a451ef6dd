import type { RunLog } from '../api/extensions.ts';
import type { Campaign, Phase, Point } from '../campaign/types.ts';

/** The data that the store takes and gives. Each subject's folder has the statements. */

/** A stored campaign. Times are ms since the epoch. */
export interface CampaignRecord {
  campaign: Campaign;
  /** The text of the definition as it was last submitted or applied. */
  definition: string;
  /** The hash of the definition's meaning. With it, foray detects that the same definition is submitted again. */
  digest: string;
  phase: Phase;
  points: number;
  createdAt: number;
  /** The time of the last recorded change, such as a new phase or a new state of a run. */
  updatedAt: number;
  /** A remark about the end of the campaign; usually empty. */
  note: string;
  /** The owner who submitted the campaign; null if unknown. */
  owner: string | null;
}

/** A finished replication. If it failed, it has no outputs. */
export interface FinishedRun {
  replication: number;
  outputs: Record<string, string>;
}

/** A point whose runs have all finished, with these runs in the order of their replications. */
export interface FinishedPoint {
  ordinal: number;
  /** How often the design has the point. */
  draws: number;
  runs: FinishedRun[];
}

/**
 * The state of a run. `waiting`: it is not requested. `intended`: its request is under way, or the response was lost.
 * `queued` and `running`: it is FRESH or RUNNING at the service. `done` and `failed`: it has finished.
 */
export type StoredRunState = 'waiting' | 'intended' | 'queued' | 'running' | 'done' | 'failed';

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
  state: StoredRunState;
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

/**
 * A finished run as a row. `values` has the values of the varied inputs. `outputs` has the outputs by name, as the
 * service sent them.
 */
export interface ResultRow {
  point: string;
  replication: number;
  status: 'done' | 'failed';
  values: readonly string[];
  /** How often the design has the point of the run; absent if it has the point once. */
  draws?: number | undefined;
  outputs: Record<string, string>;
  reason: string | null;
  runId: string | null;
  origin: Origin | null;
  requestedAt: number | null;
  finishedAt: number | null;
  /** The number of the model version of the run; null for the campaign's first version. */
  version: number | null;
  /**
   * The number of the ask (a request of the search for a point) that chose the run's point. It exists only in the
   * results of a search or a calibration.
   */
  ask?: number | null;
  /** In a calibration: the generation of the run; the first generation is 1. */
  generation?: number | null;
  /** In a calibration: the weight of the run's point in its generation; null if the point was not accepted. */
  weight?: number | null;
}

/** A finished run with its seq, and with the ordinal and the position of its point. */
export interface FinishedRow {
  seq: number;
  ordinal: number;
  position: number;
  row: ResultRow;
}

/**
 * A completed run with the inputs of its request. `runId` is null if the results came without a request for the run.
 */
export type DoneRun = Pick<PlannedRun, 'seq' | 'point' | 'replication' | 'reseeded' | 'version'> & {
  runId: string | null;
};

/** The place where a look (a call of `recentResults`) ended. The next look continues there. Runs are given by seq. */
export interface ResultCursor {
  /** Runs that are requested and have not finished, or that wait to be requested again. */
  open: number[];
  /** The runs that failed most recently, and when they failed. They may be requested again. */
  failed: { seq: number; finishedAt: number | null }[];
  /** The highest seq of a run that the looks so far have seen finished. */
  last: number;
}

/** A finished run's place in the design. */
export interface ResultPlace {
  position: number;
  ordinal: number;
  replication: number;
}

/**
 * A stored file. `size` is in bytes. `putAt` is the time when the file was last put into the store, in ms since the
 * epoch.
 */
export interface StoredFile {
  hash: string;
  size: number;
  putAt: number;
  /** Whether a campaign keeps the file as an output file. */
  isKept: boolean;
}

/**
 * Why a campaign does not have an output file that it should keep: the service does not have the file (`not-found`) or
 * refuses it (`refused`), the file is too large (`too-large`), or all downloads so far have failed (`failing`).
 */
export type MissingReason = 'not-found' | 'refused' | 'too-large' | 'failing';

/** The additions of a step of a search: the seqs of new runs, and for each ask (requested point) its ordinal. */
export interface SearchWritten {
  seqs: number[];
  ordinals: (number | null)[];
}

/**
 * A point with its finished runs, in the order of their replications. `isWhole` tells whether all runs of the point
 * have finished.
 */
export interface ComparedPoint extends Point {
  runs: FinishedRun[];
  isWhole: boolean;
}
