import type { Found } from './analysis.ts';
import type { Replicate } from './replicates.ts';

/** The values of points: their means, and all runs if they are known. */
export interface PointValues {
  /** NaN for a point without a value. */
  means: Float64Array;
  replicates?: ((point: number) => readonly Replicate[]) | undefined;
  isPaired: boolean;
  /** The share of chance in the variance of the means; absent if it is unknown. */
  chance?: number | undefined;
}

/** Estimates the effects of inputs on values that are given for each point of a table. */
export type Estimator = (values: PointValues) => Found;
