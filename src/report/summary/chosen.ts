import type { Measure } from '../../campaign/measures.ts';
import { chanceVariance, chosenVariance, confidenceAmong } from '../../statistics/chance.ts';
import { halfWidth } from '../../statistics/sample.ts';
import { estimateAt, type PointResult } from './points.ts';

/**
 * The interval of the best point of a design. The point was chosen by its value, so the interval is one of intervals that
 * hold together for all points (`confidenceAmong`), and its variance is at least that of the next points
 * (`chosenVariance`). There is none while chance may hide rare values of the point.
 *
 * @param best - the best points, the chosen one first
 * @param among - the number of points from which it was chosen
 */
export function chosenInterval(
  measure: Pick<Measure, 'name' | 'statistic' | 'probability'>,
  best: readonly Pick<PointResult, 'samples'>[],
  among: number,
  confidence: number,
): [number, number] | null {
  const [sample, ...others] = best.map(({ samples }) => samples[measure.name]!);
  const each = confidenceAmong(among, confidence);
  if (measure.statistic !== 'mean') {
    const wanted = { relative: null, absolute: null, confidence: each };
    const { low, high } = estimateAt(measure, sample!, wanted);
    return low === null || high === null ? null : [low, high];
  }
  const own = chanceVariance(sample!);
  if (!own) return null;
  const { count, mean } = sample!;
  const variance = chosenVariance(
    own,
    others.map((other) => chanceVariance(other)),
  );
  const half = halfWidth(count, Math.sqrt(variance), each);
  return [mean! - half, mean! + half];
}
