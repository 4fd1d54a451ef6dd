import type { PointValue } from '../campaign/search/log.ts';
import type { CampaignBy } from '../campaign/types.ts';
import { chosenVariance, confidenceAmong } from '../statistics/chance.ts';
import { quantileInterval } from '../statistics/quantile.ts';
import { CONFIDENCE, halfWidth } from '../statistics/sample.ts';
import { shareOf, wilsonInterval } from '../statistics/share.ts';
import type { FinishedRun, PointReader, RequiredValue } from './point-value.ts';

/** A campaign that looks for the best point. */
export type SeekingCampaign = CampaignBy<'search' | 'selection'>;

/** How a point was chosen by its value. */
export interface Selected {
  /** The number of points from which it was chosen (`confidenceAmong`). */
  among: number;
  /** The values of the next points, the best one first (`chosenVariance`). */
  next: readonly Pick<PointValue, 'variance' | 'runs'>[];
}

/** The value of a required output at a point, with its interval. */
export interface RequiredOutput extends Omit<RequiredValue, 'variance' | 'ranked'> {
  /** The interval allows for the choice of the point, as that of the goal's output. A quantile has one from its values. */
  interval: [number, number] | null;
}

/** The confidence of intervals of a search or a selection. */
export function confidenceOfSearch({ strategy }: Pick<SeekingCampaign, 'strategy'>): number {
  return (strategy.by === 'search' ? strategy.confirm : strategy)?.confidence ?? CONFIDENCE;
}

/**
 * The confidence interval of a mean by Student's t, or of a share by Wilson's method; null for a single run, for a mean
 * if all runs have the same value, and for a quantile.
 *
 * @param mean - the mean of the output itself, even if the search maximizes it
 * @param selected - set if the point was chosen by this mean
 */
export function intervalOf(
  campaign: Pick<SeekingCampaign, 'strategy'>,
  { isShare }: Pick<PointReader, 'isShare'>,
  mean: number,
  { variance, runs }: Pick<PointValue, 'variance' | 'runs'>,
  selected: Selected = { among: 1, next: [] },
): [number, number] | null {
  if (variance === null) return null;
  const confidence = confidenceAmong(selected.among, confidenceOfSearch(campaign));
  if (isShare) {
    const { low, high } = wilsonInterval(shareOf(mean, runs), runs, confidence);
    return [low, high];
  }
  if (variance === 0) return null;
  const next = selected.next.map((told) => told.variance && told.variance * told.runs);
  const half = halfWidth(runs, Math.sqrt(chosenVariance(variance * runs, next)), confidence);
  return [mean - half, mean + half];
}

/** The value of each required output at a point, in the order of the requirements. */
export function requiredAt(
  campaign: Pick<SeekingCampaign, 'strategy'>,
  reader: PointReader,
  runs: readonly FinishedRun[],
  among: number,
): RequiredOutput[] {
  const confidence = confidenceAmong(among, confidenceOfSearch(campaign));
  return reader.required(runs).map(({ variance, ranked, ...one }) => {
    const intervalOfValue = (value: number): RequiredOutput['interval'] => {
      if (!ranked) return intervalOf(campaign, one, value, { variance, runs: one.runs }, { among, next: [] });
      const found = quantileInterval(ranked.sorted, ranked.probability, confidence);
      return found && [found.low, found.high];
    };
    return { ...one, interval: one.value === null ? null : intervalOfValue(one.value) };
  });
}
