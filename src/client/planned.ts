import type { Selection } from '../campaign/search/search.ts';
import type { Finder, StrategyName } from '../campaign/strategy.ts';
import type { Goal } from '../campaign/types.ts';
import type { Foreseen } from './foresee.ts';

/** The plan of a definition. A plan starts nothing. */
export interface Plan {
  campaign: string;
  model: { name: string; version: number };
  /** The goal of the campaign; null when the definition has none. */
  goal: Goal | null;
  points: number;
  /** The number of draws of the design that give a point once more. */
  repeats: number;
  /** Maximum number of points: more than `points` when the design grows until its indices are known. */
  mostPoints: number;
  /** What a sensitivity design consists of: its trajectories, its base points, or its defining relation. */
  design: string[];
  /** Replications of each point. `max` is higher than `min` when the number depends on the results of a point. */
  replications: { min: number; max: number };
  /**
   * The lowest number of runs. For a search: the runs if all `points` are asked for and have only their first
   * replications.
   */
  runs: number;
  mostRuns: number;
  /** Like `mostRuns`, if the first replications decide comparisons of points, as they usually do. */
  usualRuns: number;
  /**
   * The expected number of runs when points are replicated until they are precise. It is estimated from results that
   * the service already has. Null if the service has no such results, and for other campaigns.
   */
  foreseen: Foreseen | null;
  /**
   * Runs that are completed, running or queued at the service. An estimate if the service was asked only about a
   * sample.
   */
  there: number;
  toRun: number;
  /** The number of runs that the service was asked about. */
  asked: number;
  /** The distance from `there` to the farther end of its 95% interval; 0 if the service was asked about all runs. */
  error: number;
  /**
   * Time for the runs in `foreseen` that the service does not have yet. If `foreseen` is null, this is the time for the
   * runs in `toRun`. Null when nothing is known about the speed.
   */
  expectedSeconds: number | null;
  /**
   * Time for `mostRuns`, without the runs that the service already has. For a search, the time is computed as if the
   * first replications decided the comparison of the best points.
   */
  mostSeconds: number | null;
  /** What the times are based on, as a phrase; empty if there are no times. */
  basis: string;
  /** The inputs that vary. `first` and `last` are the first and last points with their values of these inputs. */
  inputs: string[];
  first: { key: string; values: string[] }[];
  last: { key: string; values: string[] }[];
  warnings: string[];
  strategy: PlannedStrategy;
}

/** The strategies about which a plan says no more than about a design. */
type PlainStrategy = Exclude<StrategyName, Finder | 'selection'>;

/** How a campaign gets its points and replications. */
export type PlannedStrategy =
  | { [By in PlainStrategy]: { by: By } }[PlainStrategy]
  /**
   * How a search finds the points, and how many runs the comparison of its best points needs. `points` and `mostRuns`
   * are upper limits. If `isLimited` is false, they are 0.
   */
  | { by: 'search'; method: string; parallel: number; isLimited: boolean; confirm: ComparisonPlan | null }
  /**
   * How a calibration finds the points. `points` and `mostRuns` are upper limits, and `runs` is the lowest number of
   * runs of one generation.
   */
  | { by: 'calibration'; particles: number; generations: number }
  /** How a selection finds the best point. `runs` counts the first replications, whose results decide how many follow. */
  | { by: 'selection'; method: Selection['method'] };

/** The comparison at the end of a search. */
export interface ComparisonPlan {
  /** The number of compared points. The method may recommend one more point. */
  best: number;
  /**
   * Maximum number of runs if the first replications are enough to compare the points. They are always enough if chance
   * does not affect the output.
   */
  runs: number;
  /** Maximum number of runs if the points are hard to distinguish. */
  mostRuns: number;
}
