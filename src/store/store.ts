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
 * The content of campaigns: definitions, points, runs, outputs, files. There is one implementation per database. Every
 * write is idempotent under (campaign, point key, replication), so an activity may be repeated.
 */
export interface Store extends CampaignStore, DesignStore, RunStore, ResultStore, FileStore, SearchStore {
  /** Identifies the store itself, so that a worker of another store can tell. */
  readonly id: string;
  close(): Promise<void>;
}
