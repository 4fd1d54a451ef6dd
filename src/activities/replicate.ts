import { decidingOutputs, measureOf } from '../campaign/measures.ts';
import type { PrecisionProgress, Verdict } from '../campaign/precise-points.ts';
import { limitsAt, precisionProgress } from '../campaign/draws.ts';
import { expectedReplications, nextReplications } from '../campaign/precision.ts';
import type { AddedRuns } from '../campaign/scheduler/index.ts';
import type { Campaign } from '../campaign/types.ts';
import type { FinishedPoint, Store } from '../store/index.ts';

/**
 * The maximum number of seqs that an activity lists one by one for the workflow. If there are more, the activity lists
 * none, and the workflow reads them from the store.
 */
const MOST_SEQS = 500;

/**
 * The added runs in the form that a workflow gets. If all seqs are consecutive, only the first one and their number are
 * given, so that the history stays small.
 */
export function addedOf(seqs: number[]): AddedRuns {
  const count = seqs.length;
  const first = seqs[0];
  if (first !== undefined && seqs.every((seq, at) => seq === first + at)) return { count, seqs: [], first };
  return { count, seqs: count > MOST_SEQS ? [] : seqs };
}

/** The added replications, and the progress of the campaign. `precision` is null if no point was judged. */
export interface Judged {
  added: AddedRuns;
  precision: PrecisionProgress | null;
}

/**
 * Gives more replications to points that are not precise enough, once all their runs have finished. The decision
 * depends only on the outputs and the settings of the campaign, so any worker may make it at any time and may repeat
 * it.
 *
 * @param seqs runs that may just have finished
 */
export async function replicate(store: Store, campaign: Campaign, seqs: readonly number[]): Promise<Judged> {
  const points = campaign.precision
    ? await store.finishedPoints(campaign.id, seqs, decidingOutputs(campaign))
    : [];
  if (points.length === 0) return { added: { count: 0, seqs: [] }, precision: null };
  return {
    added: await addReplications(store, campaign, points),
    precision: await precisionProgress(campaign, store),
  };
}

/** Like {@link replicate}, for all points of the campaign. All points are judged again. */
export async function replicateAll(store: Store, campaign: Campaign): Promise<void> {
  if (!campaign.precision) return;
  await store.forgetVerdicts(campaign.id);
  for await (const points of store.allFinishedPoints(campaign.id, decidingOutputs(campaign)))
    await addReplications(store, campaign, points);
}

async function addReplications(
  store: Store,
  campaign: Campaign,
  points: readonly FinishedPoint[],
): Promise<AddedRuns> {
  const { id, outputs } = campaign;
  const wanted = campaign.precision!;
  const verdicts: ({ ordinal: number } & Verdict)[] = [];
  const measures = wanted.outputs.map((name) => measureOf(outputs, name));
  const imprecise = points.flatMap(({ ordinal, draws, runs }) => {
    const precision = limitsAt(campaign, wanted, draws);
    const values = measures.map(({ read }) => runs.map((run) => read(run.outputs) ?? null));
    const next = nextReplications(precision, values, runs.length);
    if (next.decided) {
      verdicts.push({ ordinal, state: next.reached ? 'precise' : 'imprecise', expected: runs.length });
      return [];
    }
    const expected = Math.max(next.replications, expectedReplications(precision, values, runs.length));
    verdicts.push({ ordinal, state: 'open', expected });
    return [{ ordinal, replications: next.replications, need: next.need }];
  });
  await store.setVerdicts(id, verdicts);
  // the points that need replications most come first
  imprecise.sort((a, b) => b.need - a.need || a.ordinal - b.ordinal);
  return addedOf(await store.addReplications(id, imprecise));
}
