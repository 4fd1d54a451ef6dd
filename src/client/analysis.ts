import { type Measure, measureOf, measuresOf } from '../campaign/measures.ts';
import { hasStrategy } from '../campaign/strategy.ts';
import type { Campaign, CampaignBy } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import { isNoisy } from '../search/noise.ts';
import type { Analysis } from '../sensitivity/analysis.ts';
import { analysesOf } from '../sensitivity/analyze.ts';
import { needsRuns } from '../sensitivity/design.ts';
import { gathered } from '../sensitivity/gather.ts';
import { searchedAnalysis } from '../sensitivity/searched.ts';
import type { CampaignRecord, Store } from '../store/index.ts';
import { type ClientContext, recordOf } from './context.ts';

/** Options of an analysis. */
export interface AnalyzeOptions {
  /**
   * The names of outputs or of curves (DATA_SET), or formulas over outputs.
   * @default all numeric and BOOLEAN outputs and the formulas of the definition
   */
  outputs?: readonly string[] | undefined;
}

/**
 * Estimates which inputs of a campaign matter for its outputs, from the runs that have finished.
 *
 * @throws ForayError UNKNOWN_CAMPAIGN, NOTHING_TO_ANALYZE, UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
 */
export async function analyze(
  client: ClientContext,
  id: string,
  { outputs }: AnalyzeOptions = {},
): Promise<Analysis[]> {
  return analysesIn(client.store, await recordOf(client, id), { outputs });
}

/**
 * Does the same as {@link analyze} for a campaign that has already been read.
 * @throws ForayError NOTHING_TO_ANALYZE, UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
 */
export async function analysesIn(
  store: Store,
  { campaign, points }: Pick<CampaignRecord, 'campaign' | 'points'>,
  { outputs }: AnalyzeOptions = {},
): Promise<Analysis[]> {
  if (hasStrategy(campaign, 'search')) return [await analysisOfSearch(store, campaign, outputs)];
  const { id } = campaign;
  const why = whyNotAnalyzed(campaign);
  if (why)
    throw new ForayError('NOTHING_TO_ANALYZE', `The campaign "${id}" ${why.problem}`, { hint: why.hint });
  // the store counts equal points of the design once, and an analysis has a row for each
  const rows = points + (campaign.repeats ?? 0);
  const wanted = { ...wantedOutputs(campaign, outputs), points: rows, keepsRuns: needsRuns(campaign) };
  const found = await gathered(store.results(id), campaign, wanted);
  if (found.table.length === 0)
    throw new ForayError('NOTHING_TO_ANALYZE', `No run of the campaign "${id}" has finished yet.`, {
      hint: `"foray status ${id}" shows its progress.`,
    });
  return analysesOf(campaign, found, await store.counts(id));
}

/** Analyzes a search: fits a statistical model to the output that the search optimizes. */
async function analysisOfSearch(
  store: Store,
  campaign: CampaignBy<'search'>,
  outputs: readonly string[] | undefined,
): Promise<Analysis> {
  const { output } = campaign.goal!;
  if (outputs?.some((name) => measureOf(campaign.outputs, name).name !== output))
    throw new ForayError(
      'NOTHING_TO_ANALYZE',
      `A search can be analyzed only for the output that it optimizes, ${output}.`,
      {
        hint: 'For other outputs, submit a campaign with a design over the same inputs, such as saltelli, morris or lhs (docs/guides/sensitivity.md).',
      },
    );
  const { asks } = await store.searchLog(campaign.id);
  return searchedAnalysis(campaign, asks, isNoisy(campaign));
}

/** Why a campaign can never be analyzed, whatever its results are. Undefined if the campaign can be analyzed. */
export function whyNotAnalyzed(
  campaign: Pick<Campaign, 'strategy' | 'varied'>,
): { problem: string; hint: string } | undefined {
  if (campaign.strategy.by === 'calibration')
    return {
      problem: 'is a calibration, which chooses its own points. An analysis needs a sample.',
      hint: 'Submit a campaign with a design over the same inputs, such as saltelli, morris or lhs (docs/guides/sensitivity.md).',
    };
  if (campaign.varied.length === 0)
    return {
      problem: 'has one point: no input varies.',
      hint: 'Give the campaign a design, such as saltelli, morris or lhs (docs/guides/sensitivity.md).',
    };
  return undefined;
}

/** The outputs to analyze: the curves (DATA_SET), and all others. */
function wantedOutputs(
  campaign: Campaign,
  outputs: readonly string[] | undefined,
): { measures: Measure[]; dataSets: string[] } {
  if (!outputs) {
    const measures = measuresOf(campaign);
    if (measures.length > 0) return { measures, dataSets: [] };
    throw new ForayError('NOTHING_TO_ANALYZE', 'The campaign stores no numeric or BOOLEAN output.', {
      hint: 'Name a curve (DATA_SET) with --output, or add numeric or BOOLEAN outputs to the definition.',
    });
  }
  const curves = new Set(campaign.outputs.filter(({ type }) => type === 'DATA_SET').map(({ name }) => name));
  return {
    measures: outputs.filter((name) => !curves.has(name)).map((name) => measureOf(campaign.outputs, name)),
    dataSets: outputs.filter((name) => curves.has(name)),
  };
}
