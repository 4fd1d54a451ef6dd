import { Beliefs } from './beliefs.ts';
import type { Problem, Told } from '../method.ts';

/** The radius of the excluded region around a minimum, in length scales. */
const RADIUS = 1.2;

/**
 * An excluded minimum, with the models at the time of the exclusion. The length scales of these models do not change,
 * so the region stays the same.
 */
interface Exclusion {
  x: readonly number[];
  beliefs: Beliefs;
}

/** The whole space, or the space without the regions around some minima, with the models of the points in it. */
export class Part {
  readonly beliefs: Beliefs;
  readonly #problem: Problem;
  readonly #exclusions: readonly Exclusion[];

  private constructor(problem: Problem, beliefs: Beliefs, exclusions: readonly Exclusion[]) {
    this.#problem = problem;
    this.beliefs = beliefs;
    this.#exclusions = exclusions;
  }

  static whole(problem: Problem): Part {
    return new Part(problem, Beliefs.none(problem), []);
  }

  get isWhole(): boolean {
    return this.#exclusions.length === 0;
  }

  /** Returns this part with the models of a longer log. Points of the log outside the part are left out. */
  with(log: readonly Told[]): Part {
    const own = log.filter(({ x }) => this.has(x));
    return new Part(this.#problem, this.beliefs.with(own), this.#exclusions);
  }

  /** This part without the region around one of its points. The new part has no models yet. */
  without(x: readonly number[]): Part {
    return new Part(this.#problem, Beliefs.none(this.#problem), [
      ...this.#exclusions,
      { x, beliefs: this.beliefs },
    ]);
  }

  /** Whether a point lies in this part. */
  has(x: readonly number[]): boolean {
    return !this.#exclusions.some((exclusion) => isAround(exclusion, x));
  }

  /** Whether a point is in the region that was excluded last. */
  isBeside(x: readonly number[]): boolean {
    const last = this.#exclusions.at(-1);
    return last !== undefined && isAround(last, x);
  }
}

function isAround(exclusion: Exclusion, x: readonly number[]): boolean {
  return (exclusion.beliefs.distance(exclusion.x, x) ?? Infinity) <= RADIUS;
}
