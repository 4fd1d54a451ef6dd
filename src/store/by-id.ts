import type { Kysely } from 'kysely';
import { campaignDeleted } from './deleted.ts';
import type { KeyedPoint } from './rows.ts';
import type { Tables } from './tables.ts';

/**
 * The number of a campaign in the tables.
 * @throws ForayError UNKNOWN_CAMPAIGN, which says that the campaign was deleted: every caller has read its record before
 */
export async function numberOf(db: Kysely<Tables>, id: string): Promise<number> {
  const row = await db.selectFrom('campaigns').select('number').where('id', '=', id).executeTakeFirst();
  if (!row) throw campaignDeleted(id);
  return row.number;
}

/** Makes a method that takes the id of a campaign from a function that takes the number of the campaign. */
export function byId<Args extends unknown[], Result>(
  db: Kysely<Tables>,
  act: (db: Kysely<Tables>, campaign: number, ...args: Args) => Promise<Result>,
): (id: string, ...args: Args) => Promise<Result> {
  return async (id, ...args) => act(db, await numberOf(db, id), ...args);
}

/** Does the same as {@link byId} for a function that yields batches. */
export function batchesById<Args extends unknown[], Item>(
  db: Kysely<Tables>,
  list: (db: Kysely<Tables>, campaign: number, ...args: Args) => AsyncIterable<Item>,
): (id: string, ...args: Args) => AsyncIterable<Item> {
  return async function* (id, ...args) {
    yield* list(db, await numberOf(db, id), ...args);
  };
}

/** Records the time at which a campaign has changed. */
export async function touch(db: Kysely<Tables>, campaign: number, now: number): Promise<void> {
  await db.updateTable('campaigns').set({ updated_at: now }).where('number', '=', campaign).execute();
}

/** Reads the points of the given runs, by ordinal. */
export async function pointsOf(
  db: Kysely<Tables>,
  campaign: number,
  runs: readonly { ordinal: number }[],
): Promise<Map<number, KeyedPoint>> {
  if (runs.length === 0) return new Map();
  const rows = await db
    .selectFrom('points')
    .select(['ordinal', 'key', 'values'])
    .where('campaign', '=', campaign)
    .where('ordinal', 'in', [...new Set(runs.map(({ ordinal }) => ordinal))])
    .execute();
  return new Map(
    rows.map(({ ordinal, key, values }) => [ordinal, { key, values: JSON.parse(values) as string[] }]),
  );
}
