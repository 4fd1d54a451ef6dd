import type { PointValue } from '../campaign/search/log.ts';
import { CONFIDENCE } from '../campaign/search/search.ts';
import type { Campaign } from '../campaign/types.ts';
import { halfWidth } from '../statistics/sample.ts';

/** The confidence of intervals of a search or a selection. */
export function confidenceOfSearch({ search, select }: Pick<Campaign, 'search' | 'select'>): number {
  return (search ? search.confirm : select)?.confidence ?? CONFIDENCE;
}

/**
 * The confidence interval of a mean or share; null for a single run, if all runs have the same value, and for a quantile.
 *
 * @param mean - the mean of the output itself, even if the search maximizes it
 */
export function intervalOf(
  campaign: Pick<Campaign, 'search' | 'select'>,
  mean: number,
  { variance, runs }: Pick<PointValue, 'variance' | 'runs'>,
): [number, number] | null {
  if (variance === null || variance === 0) return null;
  const half = halfWidth(runs, Math.sqrt(variance * runs), confidenceOfSearch(campaign));
  return half === null ? null : [mean - half, mean + half];
}
