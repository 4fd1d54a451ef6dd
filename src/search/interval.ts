import type { PointValue } from '../campaign/search/log.ts';
import type { Campaign } from '../campaign/types.ts';
import { halfWidth } from '../statistics/sample.ts';

/** Where the definition of a search gives no confidence. */
const CONFIDENCE = 0.95;

/** The confidence of intervals of a search. */
export function confidenceOfSearch({ search }: Pick<Campaign, 'search'>): number {
  return search!.confirm?.confidence ?? CONFIDENCE;
}

/**
 * The confidence interval of a mean; null of one run, and where all runs have the same value.
 *
 * @param mean - in the sign of the output
 */
export function intervalOf(
  campaign: Pick<Campaign, 'search'>,
  mean: number,
  { variance, runs }: Pick<PointValue, 'variance' | 'runs'>,
): [number, number] | null {
  if (variance === null || variance === 0) return null;
  const half = halfWidth(runs, Math.sqrt(variance * runs), confidenceOfSearch(campaign));
  return half === null ? null : [mean - half, mean + half];
}
