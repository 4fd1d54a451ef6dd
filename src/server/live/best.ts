import { progressOf } from '../../client/strategies.ts';
import { bestOfDesign } from '../../report/summary/chosen.ts';
import { valueText } from '../../report/words/search-words.ts';
import type { Store } from '../../store/index.ts';
import type { BestValue } from './look.ts';

/**
 * The best value of a campaign's points. For a design, it comes from one pass over the runs. It is null if no point has a
 * value, or if the campaign has no goal.
 */
export async function bestOf(store: Store, id: string): Promise<BestValue | null> {
  const record = await store.getCampaign(id);
  if (!record) return null;
  const { campaign } = record;
  const progress = await progressOf(store, campaign);
  const best = 'best' in progress ? progress.best : await bestOfDesign(campaign, store.results(id));
  return best && { value: best.value, text: valueText(campaign, best) };
}
