import { growingSize, grown, nextSize } from '../campaign/growth.ts';
import { measureOf } from '../campaign/measures.ts';
import { hasStrategy } from '../campaign/strategy.ts';
import type { CampaignBy, RunCounts } from '../campaign/types.ts';
import { analysesOf } from '../sensitivity/analyze.ts';
import { gathered } from '../sensitivity/gather.ts';
import { widestInterval } from '../sensitivity/widest.ts';
import type { Store } from '../store/index.ts';
import { expanded } from './prepare.ts';
import type { Proposed } from './propose.ts';
import type { World } from './types.ts';

/**
 * Continues a design that grows until its sensitivity indices are known. When all runs have finished, the function
 * checks the intervals of the indices. If an interval is too wide and the design is below its largest size, the
 * function adds points. The result depends only on the campaign and its runs in the store, so any worker may do this
 * step and may repeat it.
 */
export async function grow({ store, now }: World, id: string, signal: AbortSignal): Promise<Proposed> {
  for (;;) {
    signal.throwIfAborted();
    const { campaign, points } = (await store.getCampaign(id))!;
    if (!hasStrategy(campaign, 'growing')) throw new Error('The design of the campaign does not grow');
    const counts = await store.counts(id);
    const open = counts.total - counts.done - counts.failed;
    // the workflow asks when all runs that it knows have finished, so the open runs are new to it
    if (open > 0) return { added: { count: open, seqs: [] }, points, asked: 0, isOver: false };
    const { design, strategy } = campaign;
    const { rounds } = strategy;
    const size = growingSize(design);
    const last = rounds.at(-1);
    // the set of finished runs changes when failed runs are requested again
    if (last?.size !== size || last.runs !== counts.done) {
      const widest = (await widestOf(store, campaign, points, counts)) ?? null;
      const round = { size, runs: counts.done, widest };
      const earlier = rounds.filter((one) => one.size < size);
      const judged = { ...campaign, strategy: { ...strategy, rounds: [...earlier, round] } };
      await store.setRounds(judged, now());
      continue;
    }
    const next = nextSize(strategy, last);
    if (next === undefined) return { added: { count: 0, seqs: [] }, points, asked: 0, isOver: true };
    const after = await expanded(store, { ...campaign, design: grown(design, next) }, signal);
    await store.growDesign(campaign, after.campaign, after.points, now());
  }
}

async function widestOf(
  store: Store,
  campaign: CampaignBy<'growing'>,
  points: number,
  counts: RunCounts,
): Promise<ReturnType<typeof widestInterval>> {
  const measures = campaign.strategy.outputs.map((name) => measureOf(campaign.outputs, name));
  const wanted = { measures, dataSets: [], keepsRuns: true, points };
  const data = await gathered(store.results(campaign.id), campaign, wanted);
  return widestInterval(analysesOf(campaign, data, counts));
}
