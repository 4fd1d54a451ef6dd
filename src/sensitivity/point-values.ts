import type { Found } from './analysis.ts';
import { momentsOf } from './moments.ts';
import { commonReplications, type ErrorVariance, type Replicate, valuesAt } from './replicates.ts';

/** The values of an output at all points: the means, and the values of single runs if they are known. */
export interface PointValues {
  /** The mean of each point; NaN for a point without a value. */
  means: Float64Array;
  replicates?: ((point: number) => readonly Replicate[]) | undefined;
  isPaired: boolean;
  /** Whether chance is possible, but its size is unknown. */
  hasUnknownChance?: boolean | undefined;
  /** Whether the output is a share of runs: the values of its runs are 0 and 1. */
  isShare?: boolean | undefined;
  /** The share of chance in the variance of the means; absent if it is unknown. */
  chance?: number | undefined;
  /** The variance of chance in the mean of a point; absent if it is unknown. */
  error?: ErrorVariance | undefined;
}

/** Estimates the effects of inputs from the values of all points. */
export type Estimator = (values: PointValues) => Found;

/**
 * With common random numbers, points are compared by the replications that all points have. Further replications of
 * single points would bring back the chance that is the same at all points.
 *
 * @returns the same values if points have no further replications, or if fewer than two replications are common
 */
export function inPairs(values: PointValues): PointValues {
  const { means, replicates, isPaired } = values;
  if (!isPaired || !replicates) return values;
  const known = [...means.keys()].filter((point) => !Number.isNaN(means[point]!));
  const all = known.map(replicates);
  const common = commonReplications(all);
  if (common.length < 2 || all.every(({ length }) => length === common.length)) return values;
  const own = new Map(known.map((point, at) => [point, valuesAt(all[at]!, common)]));
  return {
    ...values,
    means: means.map((mean, point) => (Number.isNaN(mean) ? mean : momentsOf(own.get(point)!).mean)),
    replicates: (point) => (own.get(point) ?? []).map((value, at) => ({ replication: common[at]!, value })),
  };
}
