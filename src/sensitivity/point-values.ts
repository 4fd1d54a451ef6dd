import type { Found } from './analysis.ts';
import type { Replicate } from './replicates.ts';

/** The values of points: their means, and all runs where they are known. */
export interface PointValues {
  /** NaN of a point without a value. */
  means: Float64Array;
  replicates?: ((point: number) => readonly Replicate[]) | undefined;
  isPaired: boolean;
  /** The share of the variance of the means that is chance; absent where it is not known. */
  chance?: number | undefined;
}

/** Finds what inputs do to values that are given for each point of a table. */
export type Estimator = (values: PointValues) => Found;
