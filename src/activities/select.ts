import { stageOf } from '../campaign/search/log.ts';
import type { Campaign } from '../campaign/types.ts';
import { nextOfSelection } from '../search/select.ts';
import type { Store } from '../store/index.ts';
import { isEmpty, type Proposed } from './propose.ts';
import { addedOf } from './replicate.ts';

/**
 * Goes on with the selection of a campaign: gives points more replications that are hard to tell apart, when all runs have finished. What
 * it does depends on the log and the runs in the store alone, so it does not matter who does it, or how often.
 */
export async function select(store: Store, campaign: Campaign, signal: AbortSignal): Promise<Proposed> {
  const { id } = campaign;
  const seqs: number[] = [];
  for (;;) {
    signal.throwIfAborted();
    const [{ events }, points] = await Promise.all([store.searchLog(id), store.comparedPoints(id)]);
    const whole = points.filter(({ isWhole }) => isWhole);
    const finished = new Map(whole.map(({ ordinal, runs }) => [ordinal, runs]));
    const step = { tells: [], asks: [], ...nextOfSelection(campaign, points.length, events, finished) };
    if (isEmpty(step)) {
      const isOver = stageOf({ events }) === 'over';
      return { added: addedOf(seqs), points: points.length, asked: 0, isOver };
    }
    // where another worker was quicker, its log counts
    const written = await store.writeSearch(id, { asks: 0, events: events.length }, step);
    seqs.push(...(written?.seqs ?? []));
  }
}
