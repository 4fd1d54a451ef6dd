import type { Batched } from '../batched.ts';
import { type GrowthProgress, growthProgress } from '../campaign/growth.ts';
import { decidingOutputs } from '../campaign/measures.ts';
import type { Strategy, StrategyBy, StrategyName } from '../campaign/strategy.ts';
import type { Campaign, CampaignBy } from '../campaign/types.ts';
import type { CloudClient } from '../cloud/index.ts';
import {
  type CalibrationStory,
  type CalibrationSummary,
  calibrationStoryOf,
  runNameOf,
  placesOfRuns,
} from '../search/abc/story.ts';
import type { FinishedPoints } from '../search/point-value.ts';
import { type SelectStory, type SelectSummary, selectStoryOf } from '../search/select-story.ts';
import { comparedPoints } from '../search/compare-finalists.ts';
import { type SearchStory, storyOf as storyOfSearch } from '../search/story.ts';
import { type SearchSummary, summarizedPoints, summaryOf } from '../search/summary.ts';
import type { ResultRow, Store } from '../store/index.ts';
import type { CheckedCampaign } from './check.ts';
import { planOfDesign, type PlanOptions } from './plan.ts';
import { planOfCalibration, planOfSearch } from './plan-search.ts';
import type { Plan } from './planned.ts';
import type { RunRate } from './run-rate.ts';

/** The progress of a campaign's strategy. */
export type StrategyProgress =
  | { by: 'design' }
  | ({ by: 'growing' } & GrowthProgress)
  | ({ by: 'search' } & SearchSummary)
  | ({ by: 'calibration' } & CalibrationSummary)
  | ({ by: 'selection' } & SelectSummary);

/** The course of a campaign's strategy, for its report. A design has no course. */
export type Story =
  | ({ by: 'search' } & SearchStory)
  | ({ by: 'calibration' } & CalibrationStory)
  | ({ by: 'selection' } & SelectStory);

export type StoryBy<By extends Story['by']> = Extract<Story, { by: By }>;

/** What a program can ask about a strategy. Only with methods does TypeScript let one table have all strategies. */
interface ClientStrategy<S extends Strategy> {
  plan(
    cloud: CloudClient,
    checked: CheckedCampaign & { campaign: { strategy: S } },
    rate: RunRate | undefined,
    options: PlanOptions,
  ): Plan | Promise<Plan>;
  progress(store: Store, campaign: Campaign & { strategy: S }): Promise<StrategyProgress>;
  story(store: Store, campaign: Campaign & { strategy: S }): Promise<Story | null>;
  /** Adds to each row what the strategy knows about its point. */
  rows(store: Store, campaign: Campaign & { strategy: S }, rows: Batched<ResultRow>): Batched<ResultRow>;
}

const strategies: { [By in StrategyName]: ClientStrategy<StrategyBy<By>> } = {
  design: {
    plan: planOfDesign,
    progress: () => Promise.resolve({ by: 'design' }),
    story: () => Promise.resolve(null),
    rows: (_store, _campaign, rows) => rows,
  },
  growing: {
    plan: planOfDesign,
    progress: (_store, { design, strategy }) =>
      Promise.resolve({ by: 'growing', ...growthProgress({ design, growth: strategy }) }),
    story: () => Promise.resolve(null),
    rows: (_store, _campaign, rows) => rows,
  },
  search: {
    plan: (_cloud, { campaign }, rate) => planOfSearch(campaign, rate),
    async progress(store, campaign) {
      const log = await store.searchLog(campaign.id);
      const finished = await finishedPoints(store, campaign, summarizedPoints(log));
      return { by: 'search', ...summaryOf(campaign, log, finished) };
    },
    async story(store, campaign) {
      const log = await store.searchLog(campaign.id);
      const ordinals = [...new Set([...summarizedPoints(log), ...comparedPoints(log)])];
      const finished = await finishedPoints(store, campaign, ordinals);
      return { by: 'search', ...storyOfSearch(campaign, log, finished) };
    },
    rows: withAsks,
  },
  calibration: {
    plan: (_cloud, { campaign }, rate) => planOfCalibration(campaign, rate),
    async progress(store, campaign) {
      return { by: 'calibration', ...(await calibrationStory(store, campaign)).summary };
    },
    async story(store, campaign) {
      return { by: 'calibration', ...(await calibrationStory(store, campaign)) };
    },
    rows: withWeights,
  },
  selection: {
    plan: planOfDesign,
    async progress(store, campaign) {
      return { by: 'selection', ...(await selectStory(store, campaign)).summary };
    },
    async story(store, campaign) {
      return { by: 'selection', ...(await selectStory(store, campaign)) };
    },
    rows: (_store, _campaign, rows) => rows,
  },
};

function strategyOf({ strategy }: Pick<Campaign, 'strategy'>): ClientStrategy<Strategy> {
  return strategies[strategy.by];
}

/**
 * Makes the plan of a definition, which starts nothing.
 *
 * @throws ForayError REQUEST_REFUSED when the service refuses a point, and the errors of requests to the service
 */
export async function planOf(
  cloud: CloudClient,
  checked: CheckedCampaign,
  rate: RunRate | undefined,
  options: PlanOptions,
): Promise<Plan> {
  return strategyOf(checked.campaign).plan(cloud, checked, rate, options);
}

export function progressOf(store: Store, campaign: Campaign): Promise<StrategyProgress> {
  return strategyOf(campaign).progress(store, campaign);
}

export function storyOf(store: Store, campaign: Campaign): Promise<Story | null> {
  return strategyOf(campaign).story(store, campaign);
}

/**
 * Adds to each row what the strategy knows about its point: the number of the ask (the choice of a point by the method)
 * of a search or a calibration, and the generation and weight in a calibration.
 */
export function rowsOf(store: Store, campaign: Campaign, rows: Batched<ResultRow>): Batched<ResultRow> {
  return strategyOf(campaign).rows(store, campaign, rows);
}

async function selectStory(store: Store, campaign: CampaignBy<'selection'>): Promise<SelectStory> {
  const { events } = await store.searchLog(campaign.id);
  const points = await store.comparedPoints(campaign.id, decidingOutputs(campaign));
  return selectStoryOf(campaign, events, points);
}

async function calibrationStory(
  store: Store,
  campaign: CampaignBy<'calibration'>,
): Promise<CalibrationStory> {
  return calibrationStoryOf(campaign, await store.searchLog(campaign.id));
}

async function finishedPoints(
  store: Store,
  campaign: Campaign,
  ordinals: readonly number[],
): Promise<FinishedPoints> {
  const finished = await store.finishedAt(campaign.id, ordinals, decidingOutputs(campaign));
  return new Map(finished.map(({ ordinal, runs }) => [ordinal, runs]));
}

/** Adds to each row of a calibration its ask, its generation and its weight. */
function withWeights(
  store: Store,
  campaign: CampaignBy<'calibration'>,
  rows: Batched<ResultRow>,
): Batched<ResultRow> {
  let places: Awaited<ReturnType<typeof placesOfRuns>> | undefined;
  const find = ({ point, replication }: ResultRow) => places?.get(runNameOf(point, replication));
  return rows.mapBatches(async (batch) => {
    // the search may have asked for new points in the meantime, so the log is read again
    if (batch.some((row) => !find(row)))
      places = await placesOfRuns(campaign, await store.searchLog(campaign.id));
    return batch.map((row) => ({ ...row, ...find(row) }));
  });
}

/** Adds to each row of a search the ask that gave its point. */
function withAsks(store: Store, { id }: Pick<Campaign, 'id'>, rows: Batched<ResultRow>): Batched<ResultRow> {
  let asks = new Map<string, number>();
  return rows.mapBatches(async (batch) => {
    // the search may have asked for new points in the meantime, so the log is read again
    if (batch.some(({ point }) => !asks.has(point))) asks = await store.asksOfPoints(id);
    return batch.map((row) => ({ ...row, ask: asks.get(row.point) ?? null }));
  });
}
