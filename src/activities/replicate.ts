import { measureOf } from '../campaign/measures.ts';
import { type PrecisionProgress, precisionProgress, type Verdict } from '../campaign/precise-points.ts';
import { expectedReplications, nextReplications } from '../campaign/precision.ts';
import type { Campaign } from '../campaign/types.ts';
import type { FinishedPoint, Store } from '../store/index.ts';

/** Seqs that a workflow is told of, at most: more are read from the store. */
const MOST_TOLD = 500;

/** Replications that were added: their number, and their seqs where these are few. */
export interface Added {
  count: number;
  seqs: number[];
}

/** Runs that were added, as a workflow is told of them. */
export function addedOf(seqs: number[]): Added {
  return { count: seqs.length, seqs: seqs.length > MOST_TOLD ? [] : seqs };
}

/** What was judged: what it added, and how far the campaign is by now; null where nothing was to be judged. */
export interface Judged {
  added: Added;
  precision: PrecisionProgress | null;
}

/**
 * Gives points more replications that are not precise enough, when all that they had have finished. The decision goes by
 * the outputs alone, so it does not matter who makes it, when, or how often.
 *
 * @param seqs runs that may just have finished
 */
export async function replicate(store: Store, campaign: Campaign, seqs: readonly number[]): Promise<Judged> {
  const points = campaign.precision ? await store.finishedPoints(campaign.id, seqs) : [];
  if (points.length === 0) return { added: { count: 0, seqs: [] }, precision: null };
  return { added: await addTo(store, campaign, points), precision: await precisionOf(store, campaign) };
}

/** The same for all points of the campaign. */
export async function replicateAll(store: Store, campaign: Campaign): Promise<void> {
  if (!campaign.precision) return;
  await store.forgetVerdicts(campaign.id);
  for await (const points of store.allFinishedPoints(campaign.id)) await addTo(store, campaign, points);
}

/** How far a campaign is that replicates its points until they are precise; null of another. */
export async function precisionOf(
  store: Store,
  { id, precision }: Campaign,
): Promise<PrecisionProgress | null> {
  return precision && precisionProgress(await store.countVerdicts(id), precision.max);
}

async function addTo(
  store: Store,
  { id, precision, outputs }: Campaign,
  points: readonly FinishedPoint[],
): Promise<Added> {
  const verdicts: ({ ordinal: number } & Verdict)[] = [];
  const measures = precision!.outputs.map((name) => measureOf(outputs, name));
  const wanting = points.flatMap(({ ordinal, runs }) => {
    const values = measures.map(({ read }) => runs.map(({ outputs }) => read(outputs) ?? null));
    const next = nextReplications(precision!, values, runs.length);
    if (next.decided) {
      verdicts.push({ ordinal, state: next.reached ? 'precise' : 'imprecise', expected: runs.length });
      return [];
    }
    const expected = Math.max(next.replications, expectedReplications(precision!, values, runs.length));
    verdicts.push({ ordinal, state: 'open', expected });
    return [{ ordinal, replications: next.replications, need: next.need }];
  });
  await store.setVerdicts(id, verdicts);
  // what needs them most comes first
  wanting.sort((a, b) => b.need - a.need || a.ordinal - b.ordinal);
  const seqs = await store.addReplications(id, wanting);
  return addedOf(seqs);
}
