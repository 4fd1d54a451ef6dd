import type { Found } from './analysis.ts';
import type { ErrorVariance, Replicate } from './replicates.ts';

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
