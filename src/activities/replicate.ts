import { numberIn } from '../api/index.ts';
import { nextReplications } from '../campaign/precision.ts';
import type { Campaign } from '../campaign/types.ts';
import type { FinishedPoint, Store } from '../store/index.ts';

/** Seqs that a workflow is told of, at most: more are read from the store. */
const MOST_TOLD = 500;

/** Replications that were added: their number, and their seqs where these are few. */
export interface Added {
  count: number;
  seqs: number[];
}

/**
 * Gives points more replications that are not precise enough, when all that they had have finished. The decision goes by
 * the outputs alone, so it does not matter who makes it, when, or how often.
 *
 * @param seqs runs that may just have finished
 */
export async function replicate(store: Store, campaign: Campaign, seqs: readonly number[]): Promise<Added> {
  if (!campaign.precision) return { count: 0, seqs: [] };
  return addTo(store, campaign, await store.finishedPoints(campaign.id, seqs));
}

/** The same for all points of the campaign. */
export async function replicateAll(store: Store, campaign: Campaign): Promise<void> {
  if (!campaign.precision) return;
  for await (const points of store.allFinishedPoints(campaign.id)) await addTo(store, campaign, points);
}

async function addTo(
  store: Store,
  { id, precision }: Campaign,
  points: readonly FinishedPoint[],
): Promise<Added> {
  const wanting = points.flatMap(({ ordinal, runs }) => {
    const values = precision!.outputs.map((name) =>
      runs.map(({ outputs }) => numberIn(outputs[name]) ?? null),
    );
    const next = nextReplications(precision!, values, runs.length);
    return next.decided ? [] : [{ ordinal, replications: next.replications, need: next.need }];
  });
  // what needs them most comes first
  wanting.sort((a, b) => b.need - a.need || a.ordinal - b.ordinal);
  const seqs = await store.addReplications(id, wanting);
  return { count: seqs.length, seqs: seqs.length > MOST_TOLD ? [] : seqs };
}
