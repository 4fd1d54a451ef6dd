import type { Kysely } from 'kysely';
import { campaignStore } from './sql/campaigns.ts';
import { designStore } from './sql/design.ts';
import { fileStore } from './sql/files.ts';
import { resultStore } from './sql/results.ts';
import { runStore } from './sql/runs.ts';
import { searchStore } from './sql/search.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/**
 * The store in SQL, through Kysely. SQLite and PostgreSQL understand every statement. node:sqlite answers
 * synchronously. Long loops over rows therefore pause between batches, so that timers such as heartbeats can run.
 */
export function sqlStore(db: Kysely<Tables>, id: string, whyLost: Store['whyLost']): Store {
  return {
    id,
    whyLost,
    close: () => db.destroy(),
    ...campaignStore(db),
    ...designStore(db),
    ...runStore(db),
    ...resultStore(db),
    ...fileStore(db),
    ...searchStore(db),
  };
}
