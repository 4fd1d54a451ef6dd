import { hasStrategy } from '../campaign/strategy.ts';
import type { Goal } from '../campaign/types.ts';
import { measuresOf } from '../campaign/measures.ts';
import type { Analysis, Foray } from '../client/index.ts';
import { isForayError } from '../errors.ts';
import type { CampaignRecord } from '../store/index.ts';
import type { Picture } from './pictures/figure.ts';
import { renderReport, type ReportOptions, reportParts } from './html/html.ts';
import { readReference } from './summary/reference.ts';
import { dataSetsOf } from './summary/summary.ts';

export interface ReportChoice {
  /** The outputs and formulas that are drawn first. */
  show?: string[] | undefined;
  goal?: Goal | undefined;
  /** The path of a file with known values. */
  reference?: string | undefined;
  onNotice?: ReportOptions['onNotice'];
}

/**
 * Makes the report of a campaign of the store, as one HTML page.
 * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION, REFERENCE_INVALID
 */
export async function reportOf(foray: Foray, id: string, choice: ReportChoice): Promise<string> {
  const { record, rows } = await foray.results(id);
  return renderReport(record, await foray.counts(id), rows, await optionsOf(foray, record, choice));
}

/**
 * Makes the pictures of a campaign's report, by the id of their section.
 * @throws ForayError in the same cases as {@link reportOf}
 */
export async function picturesOf(
  foray: Foray,
  id: string,
  choice: ReportChoice,
): Promise<Map<string, Picture>> {
  const { record, rows } = await foray.results(id);
  const options = await optionsOf(foray, record, choice);
  const { sections } = await reportParts(record, await foray.counts(id), rows, options);
  return new Map(sections.flatMap(({ id, picture }) => (picture ? [[id, picture] as const] : [])));
}

async function optionsOf(
  foray: Foray,
  record: CampaignRecord,
  { show, goal, reference, onNotice }: ReportChoice,
): Promise<ReportOptions> {
  const { id } = record.campaign;
  return {
    show,
    goal,
    onNotice,
    reference: reference === undefined ? undefined : await readReference(reference, record.campaign),
    logs: await foray.failureLogs(id),
    leak: await foray.leak(id),
    story: await foray.story(id),
    analyses: await analysesFor(record, (outputs) => foray.analyze(id, { outputs })),
  };
}

/**
 * The maximum number of points for the sensitivity analysis in the report. The analysis reads the values a second time
 * and holds them in memory.
 */
const MOST_POINTS = 200_000;
/** The maximum number of points for the analysis of curves. */
const MOST_POINTS_OF_CURVES = 20_000;

/**
 * The sensitivity analyses for the report. The list is empty if there is nothing to analyze, if fewer than two inputs
 * vary, for a calibration, and for a campaign with more points than `MOST_POINTS`.
 */
export async function analysesFor(
  { campaign, points }: Pick<CampaignRecord, 'campaign' | 'points'>,
  analyze: (outputs?: string[]) => Promise<Analysis[]>,
): Promise<Analysis[]> {
  // with one input, the pictures of effects show everything
  if (campaign.varied.length < 2 || hasStrategy(campaign, 'calibration') || points > MOST_POINTS) return [];
  const curves = points > MOST_POINTS_OF_CURVES ? [] : dataSetsOf(campaign);
  const outputs = [...measuresOf(campaign).map(({ name }) => name), ...curves];
  if (outputs.length === 0) return [];
  try {
    // a search is analyzed only for its goal
    return await analyze(hasStrategy(campaign, 'search') ? undefined : outputs);
  } catch (error) {
    if (isForayError(error) && error.code === 'NOTHING_TO_ANALYZE') return [];
    throw error;
  }
}
