import type { AllowedPoints } from '../../campaign/search/allowed.ts';
import type { Dimension } from '../../campaign/search/dimension.ts';

export type { Dimension };

/**
 * A search method proposes points and is told their values. The log of the campaign is enough to rebuild the state of
 * the method. So a method has no clock, no I/O, and no random numbers except those of `Stream`: the same problem and
 * the same calls in the same order give the same proposals. Between machines, only the last bits of `Math.exp` and
 * `Math.log` may differ.
 */

/** The problem of a search. A method always minimizes. */
export interface Problem {
  dimensions: readonly Dimension[];
  /** Whether a point may be run: it meets the condition `where`. Its coordinates may also be between levels. */
  isAllowed: (x: readonly number[]) => boolean;
  /** How far a point is from being allowed; 0 if it is. */
  lackOf?: (x: readonly number[]) => number;
  /** A source of allowed points; absent if all points are allowed. */
  allowed?: AllowedPoints;
  /** The number of requirements on the outputs of a point. */
  requirements: number;
  /** The number of points that may be open at once. It is at least 1. */
  parallel: number;
  /** Whether repeats of a point may have different values. */
  isNoisy: boolean;
  seed: number;
}

/** A point that a method proposes. */
export interface Proposal {
  x: number[];
  /** How the method found it, such as "expected improvement" or "generation 7". Users see this text. */
  by: string;
  /** The expected improvement on the best value, if the method has a model of the values. */
  gain?: number;
}

/** The result of a point: its runs have finished, or it is not run because it does not meet `where`. */
export interface Told {
  /**
   * The number of the proposal in the order of `ask`, counted from 0; null for a point that the method did not propose.
   */
  ask: number | null;
  x: readonly number[];
  /** The minimized value: a mean, share or quantile over the runs of the point; null if the point failed. */
  value: number | null;
  /** The variance of the mean or share over the runs; null with fewer than two runs, and for a quantile. */
  variance: number | null;
  /** The number of runs from which the value was computed. */
  runs: number;
  /**
   * For each requirement, the distance from meeting it, in the units of its output: at most 0 if it is met. Empty if
   * the point failed.
   */
  excess: readonly number[];
}

/** The point that a method believes to be the best. */
export interface Recommendation {
  x: number[];
  /** The known value at this point without noise, or the value that a model expects; null if the method has neither. */
  value: number | null;
}

export interface Method {
  /**
   * The next point. Null if the method needs more told points first; some of its proposals must then be open.
   * 'exhausted' if it has no further point. Each coordinate of a proposal is within [0, 1]. The caller may move the
   * point onto a level or a step. The moved point may break the condition `where`, or may have been asked before.
   * `tell` gets the moved point.
   */
  ask: () => Proposal | null | 'exhausted';
  /**
   * Tells the method the result of a point. Each proposed point is told once, in the order of `ask`. Other points, with
   * `ask: null`, may be told at any time.
   */
  tell: (told: Told) => void;
  /** The point that the method believes to be the best; null while no value is known. */
  recommend: () => Recommendation | null;
  /**
   * How many proposals must be told before the method proposes again; 0 if it can propose now; absent if the method
   * does not say.
   */
  readonly lacks?: number;
}

export type MethodMaker = (problem: Problem) => Method;
