import type { Outcomes } from '../campaign/schedule.ts';
import type { CloudClient } from '../cloud/index.ts';
import type { Store } from '../store/index.ts';

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
}

export interface AdvanceResult {
  outcomes: Outcomes;
  /** Milliseconds the service asked to be left alone. */
  retryAfter: number;
  /** A few of the failures: what is shown in the Web UI. */
  failures: string[];
}
