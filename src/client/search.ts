import type { Batched } from '../batched.ts';
import type { Campaign } from '../campaign/types.ts';
import type { FinishedPoints } from '../search/point-value.ts';
import { type CalibrationStory, calibrationStoryOf, placeOf, placesOfRuns } from '../search/abc/story.ts';
import { type SelectStory, selectStoryOf } from '../search/select-story.ts';
import { comparedPoints, type SearchStory, storyOf } from '../search/story.ts';
import { type SearchSummary, summarizedPoints, summaryOf } from '../search/summary.ts';
import type { ResultRow, Store } from '../store/index.ts';

/** The progress of a campaign's search, and what it has found; null without a search. */
export async function searchOf(store: Store, campaign: Campaign): Promise<SearchSummary | null> {
  if (!campaign.search) return null;
  const log = await store.searchLog(campaign.id);
  return summaryOf(campaign, log, await finishedPoints(store, campaign, summarizedPoints(log)));
}

/** The course of a campaign's search; null without a search. */
export async function storyOfSearch(store: Store, campaign: Campaign): Promise<SearchStory | null> {
  if (!campaign.search) return null;
  const log = await store.searchLog(campaign.id);
  const ordinals = [...new Set([...summarizedPoints(log), ...comparedPoints(log)])];
  return storyOf(campaign, log, await finishedPoints(store, campaign, ordinals));
}

/** The course of a campaign's selection; null without a selection. */
export async function storyOfSelect(store: Store, campaign: Campaign): Promise<SelectStory | null> {
  if (!campaign.select) return null;
  const { events } = await store.searchLog(campaign.id);
  return selectStoryOf(campaign, events, await store.comparedPoints(campaign.id));
}

/** The course of a campaign's calibration; null without a calibration. */
export async function storyOfCalibration(store: Store, campaign: Campaign): Promise<CalibrationStory | null> {
  if (!campaign.calibrate) return null;
  return calibrationStoryOf(campaign, await store.searchLog(campaign.id));
}

async function finishedPoints(
  store: Store,
  { id }: Pick<Campaign, 'id'>,
  ordinals: readonly number[],
): Promise<FinishedPoints> {
  const finished = await store.finishedAt(id, ordinals);
  return new Map(finished.map(({ ordinal, runs }) => [ordinal, runs]));
}

/**
 * Adds to each row the number of the ask (the choice of a point by the method) that gave the point of the row. In a
 * calibration, each row also gets its generation and weight.
 */
export function withAsks(store: Store, campaign: Campaign, rows: Batched<ResultRow>): Batched<ResultRow> {
  return campaign.calibrate ? withWeights(store, campaign, rows) : withAskOfPoints(store, campaign, rows);
}

function withWeights(store: Store, campaign: Campaign, rows: Batched<ResultRow>): Batched<ResultRow> {
  let places: Awaited<ReturnType<typeof placesOfRuns>> | undefined;
  const find = ({ point, replication }: ResultRow) => places?.get(placeOf(point, replication));
  return rows.mapBatches(async (batch) => {
    // the search may have asked for new points in the meantime, so the log is read again
    if (batch.some((row) => !find(row)))
      places = await placesOfRuns(campaign, await store.searchLog(campaign.id));
    return batch.map((row) => ({ ...row, ...find(row) }));
  });
}

function withAskOfPoints(
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
