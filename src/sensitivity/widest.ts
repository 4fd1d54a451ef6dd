import type { GrowthRound } from '../campaign/growth.ts';
import type { Analysis, Interval } from './analysis.ts';

/**
 * The widest interval of an index. The width of a Sobol' index is the length of its interval. The width of a μ* is the
 * length of its interval divided by the largest μ* of the output, or by the highest end of an interval if each μ* is 0.
 * An index without an interval has an unknown width, and counts as the widest.
 *
 * @returns undefined if there are no indices
 */
export function widestInterval(
  analyses: readonly Analysis[],
): NonNullable<GrowthRound['widest']> | undefined {
  const all = analyses.flatMap(({ output, method, indices = [], secondOrder = [] }) => {
    const largest =
      Math.max(...indices.map(({ muStar = 0 }) => muStar)) ||
      Math.max(...indices.map(({ muStarInterval }) => muStarInterval?.[1] ?? 0));
    const unit = method === 'morris' && largest > 0 ? largest : 1;
    const widthOf = (interval: Interval | undefined): number =>
      interval ? (interval[1] - interval[0]) / unit : Number.MAX_VALUE;
    return [
      ...indices.flatMap(({ input, firstInterval, totalInterval, muStarInterval }) =>
        (method === 'morris' ? [muStarInterval] : [firstInterval, totalInterval]).map((interval) => ({
          width: widthOf(interval),
          output,
          input,
        })),
      ),
      ...secondOrder.map(({ inputs, interval }) => ({
        width: widthOf(interval),
        output,
        input: inputs.join(' × '),
      })),
    ];
  });
  return all.length === 0 ? undefined : all.reduce((one, other) => (other.width > one.width ? other : one));
}
