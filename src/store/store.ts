import type { Kysely } from 'kysely';
import type { ForayError } from '../errors.ts';
import { campaignStore } from './campaigns/index.ts';
import { designStore } from './design/index.ts';
import { fileStore } from './files/index.ts';
import { resultStore } from './results/index.ts';
import { runStore } from './runs/index.ts';
import { searchStore } from './search/index.ts';
import type { Tables } from './tables.ts';

/**
 * The store in SQL, through Kysely: campaigns with their definitions, points, runs, outputs and files. SQLite and
 * PostgreSQL understand every statement. An activity may run again, so every write may be repeated: at most it changes
 * a time, and `intend` counts another request.
 *
 * SQLite answers synchronously. Long loops over rows therefore pause between batches, so that timers such as
 * heartbeats can run.
 */
export function sqlStore(db: Kysely<Tables>, id: string, whyLost: () => ForayError | undefined) {
  return {
    /** The id of the store. With this id, a worker detects that a campaign belongs to another store. */
    id,
    /**
     * Why the store cannot be used now; undefined if it can. STORE_LOST: its file was removed or replaced.
     * STORE_UNREACHABLE: its server does not answer.
     */
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

export type Store = ReturnType<typeof sqlStore>;
