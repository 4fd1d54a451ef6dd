import { Batched, batchesOf } from '../batched.ts';
import type { Campaign } from '../campaign/types.ts';
import type { FinishedPoints } from '../search/point-value.ts';
import { type SelectStory, selectStoryOf } from '../search/select-story.ts';
import { comparedPoints, type SearchStory, storyOf } from '../search/story.ts';
import { type SearchSummary, summarizedPoints, summaryOf } from '../search/summary.ts';
import type { ResultRow, Store } from '../store/index.ts';

/** Where the search of a campaign is, and what it has found; null of a campaign without. */
export async function searchOf(store: Store, campaign: Campaign): Promise<SearchSummary | null> {
  if (!campaign.search) return null;
  const log = await store.searchLog(campaign.id);
  return summaryOf(campaign, log, await finishedPoints(store, campaign, summarizedPoints(log)));
}

/** What the search of a campaign has done; null of a campaign without. */
export async function storyOfSearch(store: Store, campaign: Campaign): Promise<SearchStory | null> {
  if (!campaign.search) return null;
  const log = await store.searchLog(campaign.id);
  const ordinals = [...new Set([...summarizedPoints(log), ...comparedPoints(log)])];
  return storyOf(campaign, log, await finishedPoints(store, campaign, ordinals));
}

/** What the selection of a campaign has done; null of a campaign without. */
export async function storyOfSelect(store: Store, campaign: Campaign): Promise<SelectStory | null> {
  if (!campaign.select) return null;
  const { events } = await store.searchLog(campaign.id);
  return selectStoryOf(campaign, events, await store.comparedPoints(campaign.id));
}

async function finishedPoints(
  store: Store,
  { id }: Pick<Campaign, 'id'>,
  ordinals: readonly number[],
): Promise<FinishedPoints> {
  const finished = await store.finishedAt(id, ordinals);
  return new Map(finished.map(({ ordinal, runs }) => [ordinal, runs]));
}

/** Rows with the number of the ask that their point came from. */
export function withAsks(
  store: Store,
  { id }: Pick<Campaign, 'id'>,
  rows: AsyncIterable<ResultRow>,
): AsyncIterable<ResultRow> {
  async function* batches(): AsyncGenerator<ResultRow[], void, void> {
    let asks = new Map<string, number>();
    for await (const batch of batchesOf(rows)) {
      // points that were asked since are in the log by now
      if (batch.some(({ point }) => !asks.has(point))) asks = await store.asksOfPoints(id);
      yield batch.map((row) => ({ ...row, ask: asks.get(row.point) ?? null }));
    }
  }
  return new Batched(batches());
}
