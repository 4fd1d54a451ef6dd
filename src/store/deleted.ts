import { type Kysely, sql } from 'kysely';
import { ForayError } from '../errors.ts';
import type { Tables } from './tables.ts';

/**
 * The beginning of the id of a campaign that is being deleted. The number of the campaign and the id that it had
 * follow, after slashes. No other campaign has such an id.
 */
const DELETED = 'deleted/';
/** The ids of all campaigns that are being deleted, for LIKE. */
export const ALL_DELETED = `${DELETED}%`;

/** The error for a campaign that somebody deletes while somebody else uses it. */
export function campaignDeleted(id: string): ForayError {
  return new ForayError('UNKNOWN_CAMPAIGN', `The campaign "${id}" was deleted.`);
}

/**
 * Hides a campaign from everybody, and frees its id, before its rows are deleted. Without this step, a reader would
 * take the rows that are left for all rows.
 */
export async function hide(db: Kysely<Tables>, campaign: number): Promise<void> {
  await db
    .updateTable('campaigns')
    .set((row) => ({
      id: sql<string>`${sql.lit(DELETED)} || cast(${row.ref('number')} as text) || '/' || ${row.ref('id')}`,
    }))
    .where('number', '=', campaign)
    .execute();
}

/**
 * Checks, after rows of a campaign were read, that nobody had begun to delete the campaign.
 * @throws ForayError UNKNOWN_CAMPAIGN
 */
export async function assertThere(db: Kysely<Tables>, campaign: number): Promise<void> {
  const row = await db.selectFrom('campaigns').select('id').where('number', '=', campaign).executeTakeFirst();
  if (row && !row.id.startsWith(DELETED)) return;
  const id = row?.id.split('/').at(-1);
  throw id === undefined
    ? new ForayError('UNKNOWN_CAMPAIGN', 'The campaign was deleted.')
    : campaignDeleted(id);
}
