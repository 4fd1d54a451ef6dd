import type { Difference } from '../campaign/change.ts';
import type { Outcomes } from '../campaign/scheduler/index.ts';
import type { PrecisionProgress } from '../campaign/precise-points.ts';
import type { PointFile } from '../campaign/designs/table.ts';
import type { CampaignFile, CampaignSettings, FailureCause, RunCounts } from '../campaign/types.ts';
import type { CloudClient } from '../cloud/index.ts';
import type { ErrorCode } from '../errors.ts';
import type { Store } from '../store/index.ts';
import type { Added } from './replicate.ts';

/** What a worker's activities work with. */
export interface World {
  store: Store;
  cloud: CloudClient;
  /** Root address of the model service that `cloud` talks to. */
  service: string;
}

/** Names a campaign and where it lives, so that a worker of another store or service refuses it. */
export interface CampaignAddress {
  campaign: string;
  service: string;
  store: string;
}

export interface AdvanceInput extends CampaignAddress {
  /** Seqs of runs to request. */
  request: number[];
  /** Seqs of runs to look at. */
  poll: number[];
  /** Seqs of runs that have taken too long. */
  expire: number[];
  /** Runs that are requested are likely to be there: ask for their results first. */
  resultsFirst: boolean;
}

export interface AdvanceResult {
  outcomes: Outcomes;
  /** Milliseconds the service asked to be left alone. */
  retryAfter: number;
  /** Reasons of a few of the failures: what is shown in the Web UI. */
  failures: string[];
  /** All runs that failed for good, by cause. */
  causes: FailureCause[];
  /** Replications that points got because they are not precise enough yet. */
  added: Added;
  /** How far the campaign is, where points were judged. Absent from activities of earlier versions. */
  precision?: PrecisionProgress | null;
}

/** Which runs are to be had again: those that failed, those that were never requested (in a closed campaign), or both. */
export type RetryWhat = 'failed' | 'missing' | 'all';

/** A definition: its text, or the same as JSON. */
export type DefinitionMessage = string | Record<string, unknown>;

/** What is to be changed in a campaign that has begun. `version`: the number of the model's version to go on with. */
export type ChangeRequest =
  | { retry: RetryWhat; version?: number | undefined }
  | { apply: DefinitionMessage; files?: KnownFiles | undefined };

/** Files that a definition names and the store has. */
export interface KnownFiles {
  inputs: CampaignFile[];
  /** Files of points, by their path as it is written. */
  points: Record<string, PointFile>;
}

/** What came of it: where the campaign stands after it, or why it was refused. */
export type ChangeAnswer =
  | {
      points: number;
      counts: RunCounts;
      settings: CampaignSettings;
      /** Failed runs that are requested again. */
      forgiven: number;
      /** Of a campaign that replicates its points until they are precise. Absent from activities of earlier versions. */
      precision?: PrecisionProgress | null;
      /** A search finds the points. Absent from activities of earlier versions. */
      isSearch?: boolean;
      /** Finds out which point is the best. Absent from activities of earlier versions. */
      isSelect?: boolean;
      /** Of a changed definition. */
      difference: Difference | null;
    }
  | { refused: string; code: ErrorCode };
