import { decidingOutputs } from '../campaign/measures.ts';
import { stageOf } from '../campaign/search/log.ts';
import { hasStrategy } from '../campaign/strategy.ts';
import type { Campaign } from '../campaign/types.ts';
import { nextOfSelection } from '../search/select.ts';
import type { Store } from '../store/index.ts';
import { isEmpty, type Proposed } from './propose.ts';
import { addedOf } from './replicate.ts';

/**
 * Continues the selection of a campaign: when all runs have finished, gives more replications to points that are hard
 * to distinguish. The result depends only on the log and the runs in the store, so any worker may do this step and may
 * repeat it.
 */
export async function select(store: Store, campaign: Campaign, signal: AbortSignal): Promise<Proposed> {
  if (!hasStrategy(campaign, 'selection')) throw new Error('The campaign has no selection');
  const { id } = campaign;
  const names = decidingOutputs(campaign);
  const seqs: number[] = [];
  for (;;) {
    signal.throwIfAborted();
    const [{ events }, points] = await Promise.all([store.searchLog(id), store.comparedPoints(id, names)]);
    const whole = points.filter(({ isWhole }) => isWhole);
    const finished = new Map(whole.map(({ ordinal, runs }) => [ordinal, runs]));
    const step = { tells: [], asks: [], ...nextOfSelection(campaign, points.length, events, finished) };
    if (isEmpty(step)) {
      const isOver = stageOf({ events }) === 'over';
      return { added: addedOf(seqs), points: points.length, asked: 0, isOver };
    }
    // if something else was written to the log first, this step is dropped
    const written = await store.writeSearch(id, { asks: 0, told: 0, events: events.length }, step);
    seqs.push(...(written?.seqs ?? []));
  }
}
