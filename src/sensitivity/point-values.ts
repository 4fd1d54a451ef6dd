import type { Found } from './analysis.ts';
import type { LackingRuns } from './dependence.ts';
import { momentsOf } from './moments.ts';
import {
  commonReplications,
  type ErrorVariance,
  errorVariance,
  type Replicate,
  valuesAt,
} from './replicates.ts';

/** The values of an output at all points: the means, and the values of single runs if they are known. */
export interface PointValues {
  /** The mean of each point; NaN for a point without a value. */
  means: Float64Array;
  replicates?: ((point: number) => readonly Replicate[]) | undefined;
  /** Whether the random numbers are common, so that points are compared by replications. */
  isPaired: boolean;
  /** Whether chance is possible, but its size is unknown. */
  hasUnknownChance?: boolean | undefined;
  /** Whether the output is a share of runs: the values of its runs are 0 and 1. */
  isShare?: boolean | undefined;
  /** The share of chance in the variance of the means; absent if it is unknown. */
  chance?: number | undefined;
  /** The variance of chance in the mean of a point; absent if it is unknown. */
  error?: ErrorVariance | undefined;
  /** The runs without a value, if each point has several runs. */
  lackingByPoint?: LackingRuns | undefined;
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

/** The runs of each point, none at a point without a value; undefined if single runs are not known. */
export function runsOfPoints({
  means,
  replicates,
}: PointValues): readonly (readonly Replicate[])[] | undefined {
  return replicates && Array.from(means, (mean, point) => (Number.isNaN(mean) ? [] : replicates(point)));
}

/** The chance in the means of points. */
export interface PointChance {
  /** The variance of chance in the mean of each point. */
  variances: Float64Array;
  /**
   * - `estimated`: from replications.
   * - `unknown`: the most that it may be. The values of points contain it.
   * - `unseen`: the most that it may be, although no value shows it. The runs of each point are equal.
   */
  kind: 'estimated' | 'unknown' | 'unseen';
  /** The degrees of freedom of all variances together. */
  freedom: number;
  /** If the variances are estimates: the variance of each of them, for values with a normal distribution. */
  ofVariances?: Float64Array;
}

/**
 * The chance in the means of points. If it is unknown, all differences of the points may be chance. If the runs of each
 * point are equal, a rare value may only be missing (`leastOfEqualRuns`).
 *
 * @returns undefined if there is no chance, and with common random numbers, whose chance is the same at all points
 */
export function pointChance(values: PointValues): PointChance | undefined {
  const { means, isPaired, hasUnknownChance, error } = values;
  const everywhere = (variance: number): Float64Array => means.map(() => variance);
  if (hasUnknownChance) {
    const known = means.filter((value) => !Number.isNaN(value));
    const { variance } = momentsOf(known);
    return { variances: everywhere(variance), kind: 'unknown', freedom: Math.max(1, known.length - 1) };
  }
  if (!error || error.variance === 0) return undefined;
  const { freedom } = error;
  if (error.isUnseen) return { variances: everywhere(error.variance), kind: 'unseen', freedom };
  if (isPaired) return undefined;
  const runs = runsOfPoints(values);
  const pooled = runs && errorVariance(runs, false)!.variance;
  const points = means.filter((value) => !Number.isNaN(value)).length;
  const [variances, ofVariances] = [new Float64Array(means.length), new Float64Array(means.length)];
  for (let point = 0; point < means.length; point += 1) {
    const own = runs?.[point]!.map(({ value }) => value) ?? [];
    // a single run does not show the variance at its point, so it has that of all points
    variances[point] =
      own.length > 1 ? momentsOf(own).variance / own.length : pooled ? pooled / own.length : error.variance;
    const ownFreedom = own.length > 1 ? own.length - 1 : freedom / points;
    // the square of an estimate is larger than that of the variance, on average by this factor
    ofVariances[point] = (2 * variances[point]! ** 2) / (ownFreedom + 2);
  }
  return { variances, kind: 'estimated', freedom, ofVariances };
}
