import type { Dimension } from '../../campaign/search/space.ts';

export type { Dimension };

/**
 * What a search method is: it proposes points, hears their values, and holds no truth. Everything that it knows can be told again from
 * the log of the campaign, so a method has no clock, no I/O and no random number but those of `Stream`: the same problem and the
 * same calls in the same order give the same proposals on every machine.
 */

/** What is searched. A method always minimizes. */
export interface Problem {
  dimensions: readonly Dimension[];
  /** Whether a point may be proposed: the `where` of the definition. Takes any coordinates, also between levels. */
  isAllowed: (x: readonly number[]) => boolean;
  /** How many requirements there are on the outputs of a point. */
  requirements: number;
  /** How many points may be open at once, from 1. */
  parallel: number;
  /** Whether repeats of a point may come to other values. */
  isNoisy: boolean;
  seed: number;
}

/** A point that a method proposes. */
export interface Proposal {
  x: number[];
  /** How the method found it, for people, such as "expected improvement" or "generation 7". */
  by: string;
  /** The improvement on the best value that the method expects there, where it has a model of the values. */
  gain?: number;
}

/** A point whose runs have finished. */
export interface Told {
  /** The number of the proposal from 0, in the order of `ask`; null of a point that the method did not propose. */
  ask: number | null;
  x: readonly number[];
  /** The mean of what is minimized over the runs of the point; null when the point failed. */
  value: number | null;
  /** The variance of that mean; null with fewer than two runs. */
  variance: number | null;
  /** How many runs the mean is of. */
  runs: number;
  /** For each requirement how far it is from being met, at most 0 when it is met, in the units of its output. Empty when the point failed. */
  excess: readonly number[];
}

/** The point that a method believes to be the best. */
export interface Recommendation {
  x: number[];
  /** What it expects there, where it has a model of the values. */
  value: number | null;
}

export interface Method {
  /**
   * The next point; null when it needs to be told of more points first, which it may only answer while it has proposed points that it
   * was not told of; 'exhausted' when it has no more to propose.
   *
   * A proposal is within [0, 1] in each coordinate. The caller moves it onto a level or a step, and asks again if it is not allowed or
   * was there before; what `tell` says counts.
   */
  ask: () => Proposal | null | 'exhausted';
  /** Each point that was proposed is told once, in the order of `ask`, others (with `ask: null`) at any time. */
  tell: (told: Told) => void;
  /** Null while it knows nothing. */
  recommend: () => Recommendation | null;
  /** How many of its proposals have to be told before it proposes again; absent if it never says null. */
  readonly lacks?: number;
}

/** Makes a method for a problem. */
export type MethodMaker = (problem: Problem) => Method;

/** A method whose answers take their time: an outside optimiser. What it says is as much a function of the calls, but it has a process. */
export interface AsyncMethod extends Pick<Method, 'tell'> {
  /** As that of a method. */
  ask: () => Promise<ReturnType<Method['ask']>>;
  /** The point that its next proposal became, of each proposal in their order: its last one, or one of before it was made. */
  named: (x: readonly number[]) => void;
  /** Whether it knows its next proposals already. */
  readonly hasMore: boolean;
  recommend: () => Promise<Recommendation | null>;
  /** Ends its process. It may be asked again, and starts another one then. */
  close: () => void;
}
