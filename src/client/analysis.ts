import { batchesOf } from '../batched.ts';
import { type Measure, measureOf, measuresOf } from '../campaign/measures.ts';
import type { Campaign } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import type { Analysis } from '../sensitivity/analysis.ts';
import { analysesOf } from '../sensitivity/analyze.ts';
import { analyzedDesign, needsRuns } from '../sensitivity/design.ts';
import { PointGatherer } from '../sensitivity/gather.ts';
import { type ClientContext, recordOf } from './context.ts';

/** What of a campaign is analyzed. */
export interface AnalyzeOptions {
  /**
   * Names of outputs, formulas over outputs, or curves (DATA_SET).
   * @default all numeric and BOOLEAN outputs and the formulas of the definition
   */
  outputs?: readonly string[] | undefined;
}

/**
 * Which inputs of a campaign matter for its outputs, of the runs that have finished.
 *
 * @throws ForayError UNKNOWN_CAMPAIGN, NOTHING_TO_ANALYZE, UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
 */
export async function analyze(
  client: ClientContext,
  id: string,
  { outputs }: AnalyzeOptions = {},
): Promise<Analysis[]> {
  const { campaign, points } = await recordOf(client, id);
  const why = whyNot(campaign);
  if (why)
    throw new ForayError('NOTHING_TO_ANALYZE', `The campaign "${id}" ${why.problem}`, { hint: why.hint });
  const { measures, dataSets } = asked(campaign, outputs);
  const gatherer = new PointGatherer(campaign, measures, {
    dataSets,
    points,
    keepsRuns: needsRuns(analyzedDesign(campaign)),
  });
  for await (const batch of batchesOf(client.store.results(id))) for (const run of batch) gatherer.add(run);
  const gathered = gatherer.result();
  if (gathered.table.length === 0)
    throw new ForayError('NOTHING_TO_ANALYZE', `No run of the campaign "${id}" has finished yet.`, {
      hint: `"foray status ${id}" says where it is.`,
    });
  return analysesOf(campaign, gathered, await client.store.counts(id));
}

/** Why a campaign has nothing to analyze, whatever its results are; undefined of one that has. */
export function whyNot(
  campaign: Pick<Campaign, 'search' | 'varied' | 'outputs' | 'derived' | 'precision' | 'goal'>,
): { problem: string; hint: string } | undefined {
  if (campaign.search)
    return {
      problem: 'is a search, which has chosen its points where values are good. An analysis needs a sample.',
      hint: 'Submit a campaign with a design over the same inputs, such as saltelli, morris or lhs (docs/sensitivity.md).',
    };
  if (campaign.varied.length === 0)
    return {
      problem: 'has one point: no input varies.',
      hint: 'Give it a design, such as saltelli, morris or lhs (docs/sensitivity.md).',
    };
  return undefined;
}

function asked(
  campaign: Campaign,
  outputs: readonly string[] | undefined,
): { measures: Measure[]; dataSets: string[] } {
  if (!outputs) {
    const measures = measuresOf(campaign);
    if (measures.length > 0) return { measures, dataSets: [] };
    throw new ForayError('NOTHING_TO_ANALYZE', 'The campaign keeps no numeric or BOOLEAN output.', {
      hint: 'Name a curve (DATA_SET) with --output, or keep such outputs.',
    });
  }
  const curves = new Set(campaign.outputs.filter(({ type }) => type === 'DATA_SET').map(({ name }) => name));
  return {
    measures: outputs.filter((name) => !curves.has(name)).map((name) => measureOf(campaign.outputs, name)),
    dataSets: outputs.filter((name) => curves.has(name)),
  };
}
