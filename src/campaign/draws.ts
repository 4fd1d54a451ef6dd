import { isSensitivityDesign } from './designs/index.ts';
import type { PrecisionProgress, VerdictCounts } from './precise-points.ts';
import type { Precision } from './precision.ts';
import { hasDerivedSeeds } from './seeds.ts';
import { steps } from './strategy.ts';
import type { Campaign, Point } from './types.ts';

/** The part of a campaign that decides how many runs a repeated draw adds. */
export type Drawing = Pick<
  Campaign,
  | 'base'
  | 'design'
  | 'repeats'
  | 'strategy'
  | 'seed'
  | 'fresh'
  | 'commonRandomNumbers'
  | 'replications'
  | 'precision'
>;

/**
 * Whether each draw of a point has replications of its own. It has them if their seeds differ, because then a repeated
 * draw tells more about the point. Otherwise the runs of equal draws are equal. A sensitivity design uses the runs of a
 * point in each of its rows, and a selection decides itself how many replications a point needs.
 */
export function hasRunsPerDraw(campaign: Drawing): boolean {
  const step = steps[campaign.strategy.by];
  if (step === 'points' || step === 'replications' || isSensitivityDesign(campaign.design)) return false;
  return hasDerivedSeeds(campaign) && !campaign.commonRandomNumbers;
}

/** The number of replications that a point gets at first. */
export function firstReplications(campaign: Drawing, { draws = 1 }: Pick<Point, 'draws'>): number {
  return campaign.replications * (hasRunsPerDraw(campaign) ? draws : 1);
}

/**
 * The number of points that get replications: the different points of a design, or each point as often as the design
 * has it.
 */
export function replicatedPoints(campaign: Drawing, points: number): number {
  return points + (hasRunsPerDraw(campaign) ? (campaign.repeats ?? 0) : 0);
}

/** The limits of the replications of a point, for a campaign that replicates points until they are precise. */
export function limitsAt(campaign: Drawing, precision: Precision, draws = 1): Precision {
  if (draws === 1 || !hasRunsPerDraw(campaign)) return precision;
  return { ...precision, min: draws * precision.min, max: draws * precision.max };
}

/**
 * The progress of a campaign that replicates its points until they are precise; null for other campaigns.
 *
 * @param store - counts the judged points of a campaign
 */
export async function precisionProgress(
  campaign: Campaign,
  store: { countVerdicts(id: string): Promise<VerdictCounts> },
): Promise<PrecisionProgress | null> {
  if (!campaign.precision) return null;
  const { max } = campaign.precision;
  const { open, precise, imprecise, unjudged, expected, repeats, unjudgedRepeats } =
    await store.countVerdicts(campaign.id);
  const judged = open + precise + imprecise;
  // a further draw of a point may have as many replications as a point
  const [further, unjudgedFurther] = hasRunsPerDraw(campaign) ? [repeats, unjudgedRepeats] : [0, 0];
  return {
    precise,
    imprecise,
    judged,
    expectedRuns: expected + (unjudged + unjudgedFurther) * max,
    mostRuns: (judged + unjudged + further) * max,
  };
}
