import type { Kysely } from 'kysely';
import { deflateSync, inflateSync } from 'node:zlib';
import type { Tables } from '../tables.ts';

/** The most views of a campaign whose pictures are kept. A further view replaces the one that was drawn first. */
const MOST_VIEWS = 8;

/**
 * Keeps what was drawn of a campaign in one state. What was drawn of an earlier state is deleted.
 *
 * @param view - a text that names the view
 * @param state - a text that changes whenever the drawing may change
 */
export async function keepPictures(
  db: Kysely<Tables>,
  campaign: number,
  view: string,
  state: string,
  drawn: string,
  now: number,
): Promise<void> {
  const row = { state, drawn: deflateSync(drawn), drawn_at: now };
  await db.deleteFrom('pictures').where('campaign', '=', campaign).where('state', '!=', state).execute();
  await db
    .insertInto('pictures')
    .values({ campaign, view, ...row })
    .onConflict((conflict) => conflict.columns(['campaign', 'view']).doUpdateSet(row))
    .execute();
  const views = await db
    .selectFrom('pictures')
    .select('view')
    .where('campaign', '=', campaign)
    .orderBy('drawn_at', 'desc')
    .execute();
  for (const { view: old } of views.slice(MOST_VIEWS))
    await db.deleteFrom('pictures').where('campaign', '=', campaign).where('view', '=', old).execute();
}

/** What was drawn of a campaign in a state; undefined if nothing was kept. */
export async function keptPictures(
  db: Kysely<Tables>,
  campaign: number,
  view: string,
  state: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('pictures')
    .select('drawn')
    .where('campaign', '=', campaign)
    .where('view', '=', view)
    .where('state', '=', state)
    .executeTakeFirst();
  return row && inflateSync(row.drawn).toString();
}
