import type { Batched } from '../batched.ts';
import type { Campaign, CampaignBy } from '../campaign/types.ts';
import { placeOf, placesOfRuns } from '../search/abc/story.ts';
import type { ResultRow, Store } from '../store/index.ts';

/** Adds to each row of a calibration its ask, its generation and its weight. */
export function withWeights(
  store: Store,
  campaign: CampaignBy<'calibration'>,
  rows: Batched<ResultRow>,
): Batched<ResultRow> {
  let places: Awaited<ReturnType<typeof placesOfRuns>> | undefined;
  const find = ({ point, replication }: ResultRow) => places?.get(placeOf(point, replication));
  return rows.mapBatches(async (batch) => {
    // the search may have asked for new points in the meantime, so the log is read again
    if (batch.some((row) => !find(row)))
      places = await placesOfRuns(campaign, await store.searchLog(campaign.id));
    return batch.map((row) => ({ ...row, ...find(row) }));
  });
}

/** Adds to each row of a search the ask that gave its point. */
export function withAsks(
  store: Store,
  { id }: Pick<Campaign, 'id'>,
  rows: Batched<ResultRow>,
): Batched<ResultRow> {
  let asks = new Map<string, number>();
  return rows.mapBatches(async (batch) => {
    // the search may have asked for new points in the meantime, so the log is read again
    if (batch.some(({ point }) => !asks.has(point))) asks = await store.asksOfPoints(id);
    return batch.map((row) => ({ ...row, ask: asks.get(row.point) ?? null }));
  });
}
