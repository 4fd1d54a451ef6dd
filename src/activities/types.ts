import type { Difference } from '../campaign/change.ts';
import type { AddedRuns, Outcomes } from '../campaign/scheduler/index.ts';
import type { PrecisionProgress } from '../campaign/precise-points.ts';
import type { PointFile } from '../campaign/designs/table.ts';
import type { Step } from '../campaign/strategy.ts';
import type {
  CampaignFile,
  CampaignSettings,
  FailureCause,
  RunCounts,
  VariedFile,
} from '../campaign/types.ts';
import type { CloudClient } from '../cloud/index.ts';
import type { ErrorCode } from '../error-codes.ts';
import type { Store } from '../store/index.ts';
import type { Proposed } from './propose.ts';

/** The store and the service that the activities of a worker use. */
export interface World {
  store: Store;
  cloud: CloudClient;
  /** Root address of the model service that `cloud` talks to. */
  service: string;
  /** The path of the file of notices; the worker has no notices if it does not exist. */
  notices?: string | undefined;
  /** The time that the store gets, in ms. In activities, it is about that of Temporal's server, because workers' clocks differ. */
  now: () => number;
}

/** A campaign with its service and store, so that a worker of another store or service can refuse it. */
export interface CampaignAddress {
  campaign: string;
  /** When the campaign was submitted. It tells the campaign from a deleted one that had the same id. */
  createdAt: number;
  service: string;
  store: string;
}

export interface AdvanceInput extends CampaignAddress {
  /** Seqs of runs to request. */
  request: number[];
  /** Seqs of runs to poll. */
  poll: number[];
  /** Seqs of runs that have taken too long. */
  expire: number[];
  /** The service probably has the requested runs already: request their results first. */
  resultsFirst: boolean;
  /**
   * If at least this many of the runs above have finished, the search or the selection of the campaign continues in the
   * same activity. Absent if nothing continues there.
   */
  proposeAfter?: number;
}

export interface AdvanceResult {
  outcomes: Outcomes;
  /** How long the service asked foray to wait before the next request, ms. */
  retryAfter: number;
  /** Reasons of a few failures, for the Web UI. */
  failures: string[];
  /** All runs of this activity that failed and are not tried again, by cause. */
  causes: FailureCause[];
  /** Replications that were added to points that are not precise enough. */
  added: AddedRuns;
  /** The progress of the campaign if points were judged, otherwise null. */
  precision: PrecisionProgress | null;
  /** The runs that the search or the selection asked for, if it continued. */
  proposed?: Proposed;
}

/**
 * Which runs to request again: failed runs, runs that were never requested (in a closed campaign), both, or failed runs
 * with one cause, as the query `failures` names it.
 */
export type RetryWhat = 'failed' | 'missing' | 'all' | { cause: string };

/** A definition, as a text or as a JSON object. */
export type DefinitionMessage = string | Record<string, unknown>;

/** A change of a campaign that has begun. `version`: the number of the model's version to continue with. */
export type ChangeRequest =
  | { retry: RetryWhat; version?: number | undefined }
  | { apply: DefinitionMessage; files?: KnownFiles | undefined };

/** The files that a definition names, if the store has them. */
export interface KnownFiles {
  inputs: CampaignFile[];
  varied: VariedFile[];
  /** Point files, by their path as written in the definition. */
  points: Record<string, PointFile>;
}

/** The state of the campaign after the change, or why the change was refused. */
export type ChangeAnswer =
  | {
      points: number;
      counts: RunCounts;
      settings: CampaignSettings;
      /** Number of failed runs that are requested again. */
      forgiven: number;
      /** The progress of a campaign that replicates its points until they are precise; null for another campaign. */
      precision: PrecisionProgress | null;
      /** What the strategy of the campaign adds while it runs; null: nothing. */
      step: Step | null;
      /** True if a search or a selection is over, also after the change. */
      isDecided: boolean;
      /** Only for a changed definition. */
      difference: Difference | null;
    }
  | { refused: string; code: ErrorCode };
