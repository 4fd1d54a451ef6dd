import type { Campaign, CampaignOutput } from '../campaign/types.ts';
import type { CampaignRecord, ResultRow } from '../store/index.ts';
import { Lowest } from './best.ts';
import { EffectGatherer, type GridEffect, type MainEffects } from './effects.ts';
import { type FailureGroup, Failures } from './failures.ts';
import { meanOf, type PointResult, pointsOf } from './points.ts';
import { type Curve, curveOf } from './values.ts';

/** All that a report says of a campaign's results. */
export interface Summary {
  /** The points with the lowest mean of the chosen output, lowest first; the first ones where there is no such output. */
  best: PointResult[];
  effects: GridEffect | MainEffects | undefined;
  /** Of each DATA_SET: the best point's curve and those of a sample of all points. */
  curves: { output: CampaignOutput; best: Curve; others: Curve[] }[];
  failures: FailureGroup[];
}

export const BEST_POINTS = 10;
const OTHER_CURVES = 50;
const FAILURE_REASONS = 20;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Reads the rows once. Data sets are kept only of the points that will be drawn.
 *
 * @param output - the numeric output whose lowest value is the best
 */
export async function summarize(
  { campaign, points }: Pick<CampaignRecord, 'campaign' | 'points'>,
  rows: AsyncIterable<ResultRow>,
  output: CampaignOutput | undefined,
): Promise<Summary> {
  const failures = new Failures();
  const effects = new EffectGatherer(campaign);
  const best = new Lowest<PointResult>(BEST_POINTS);
  const sample: PointResult[] = [];
  let index = 0;
  for await (const point of pointsOf(finished(rows, failures), campaign.outputs)) {
    // multiples of the golden ratio spread evenly and never fall into step with the grid
    if ((index * GOLDEN) % 1 < OTHER_CURVES / points && sample.length < OTHER_CURVES) sample.push(point);
    const mean = output && meanOf(point, output.name);
    if (!output) best.add(point, index);
    else if (mean !== undefined) {
      best.add(point, mean);
      effects.add(point.values, mean);
    }
    index += 1;
  }
  return {
    best: best.items,
    effects: effects.result(),
    curves: curvesOf(campaign, best.items[0], sample),
    failures: failures.top(FAILURE_REASONS),
  };
}

/** Lets finished runs pass and counts the failed ones. */
async function* finished(rows: AsyncIterable<ResultRow>, failures: Failures): AsyncIterable<ResultRow> {
  for await (const row of rows) {
    if (row.status === 'done') yield row;
    else failures.add(row);
  }
}

function curvesOf(
  { outputs }: Campaign,
  best: PointResult | undefined,
  sample: PointResult[],
): Summary['curves'] {
  return outputs.flatMap((output) => {
    const curve = curveOf(best?.curves[output.name]);
    if (output.type !== 'DATA_SET' || !curve || curve.length === 0) return [];
    const others = sample
      .filter(({ key }) => key !== best?.key)
      .map(({ curves }) => curveOf(curves[output.name]));
    return [{ output, best: curve, others: others.filter((other) => other !== undefined) }];
  });
}
