import type { SpreadInput } from '../designs/spread-input.ts';
import type { WrittenRules } from './computed.ts';

/** The observation of one output: a number, or a curve with points in ascending x. */
export type Observed = {
  /** The name of an output, or a formula. */
  output: string;
  /** The weight of the distance of this output among the distances of all outputs. */
  weight: number;
} & ({ kind: 'number'; value: number } | { kind: 'curve'; x: number[]; y: number[] });

/** The limits of a calibration, which ends at the first one that it reaches. Null means no limit. */
export interface CalibrationStop {
  /** The last tolerance: a generation that reaches it is the last one. */
  tolerance: number | null;
  /** The most generations. */
  generations: number;
  /** The smallest share of accepted points in a generation. */
  acceptance: number;
  /** The most points in total. */
  points: number;
}

/**
 * A calibration by approximate Bayesian computation: it finds the distribution of the inputs that explains the
 * observations. All names and values are checked. It is plain JSON.
 */
export interface Calibration extends WrittenRules {
  /** The prior distributions of the inputs. */
  priors: SpreadInput[];
  observed: Observed[];
  /** The number of points that a generation accepts. */
  particles: number;
  /** The share of the accepted distances that is within the next tolerance. */
  quantile: number;
  /** After the first generation, at least this many points are open at once, unless a limit allows fewer. */
  parallel: number;
  stop: CalibrationStop;
}
