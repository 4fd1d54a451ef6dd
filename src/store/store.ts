import type { ForayError } from '../errors.ts';
import type { CampaignStore } from './roles/campaigns.ts';
import type { DesignStore } from './roles/design.ts';
import type { FileStore } from './roles/files.ts';
import type { ResultStore } from './roles/results.ts';
import type { RunStore } from './roles/runs.ts';
import type { SearchStore } from './roles/search.ts';

export type * from './roles/campaigns.ts';
export type * from './roles/design.ts';
export type * from './roles/files.ts';
export type * from './roles/results.ts';
export type * from './roles/runs.ts';
export type * from './roles/search.ts';

/**
 * Stores campaigns: definitions, points, runs, outputs and files. An activity may run again, so every write may be
 * repeated: at most it changes a time, and `intend` counts another request.
 */
export interface Store extends CampaignStore, DesignStore, RunStore, ResultStore, FileStore, SearchStore {
  /** The id of the store. With this id, a worker detects that a campaign belongs to another store. */
  readonly id: string;
  /** STORE_LOST if the file of the store was removed or replaced, at most 0.25 s ago; undefined otherwise. */
  whyLost(): ForayError | undefined;
  close(): Promise<void>;
}
