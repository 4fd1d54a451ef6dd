import type { Campaign, CampaignBy } from '../../campaign/types.ts';
import { EvenSample } from '../summary/even-sample.ts';
import type { SeekingCampaign } from '../../search/interval.ts';
import type { AskedPoint } from '../../search/story.ts';

/** The maximum number of points that are drawn one by one. The best point may come in addition. */
const MOST_DRAWN = 800;

export type Drawn<C extends Campaign> = Pick<C, 'strategy' | 'goal' | 'outputs' | 'varied'>;

export type Searched = Drawn<CampaignBy<'search'>>;

export type Seeking = Drawn<SeekingCampaign>;

/** Chooses points spread evenly over all points, and also the best point. */
export function evenly(
  points: readonly AskedPoint[],
  best: number | undefined,
): [AskedPoint[], isPart: boolean] {
  const sample = new EvenSample<AskedPoint>(MOST_DRAWN);
  for (const point of points) sample.add(() => point);
  if (!sample.isPart) return [[...points], false];
  const kept = new Set(sample.items);
  return [points.filter((point) => kept.has(point) || point.ordinal === best), true];
}
