import { orderOf } from '../../campaign/expressions/operators.ts';
import type { Told } from './method.ts';

/** The result of a point that is not allowed, and is therefore not proposed. It counts as failed. */
export function refused(x: readonly number[]): Told {
  return { ask: null, x, value: null, variance: null, runs: 0, excess: [] };
}

/**
 * Tells which of two points is better. A point that meets all requirements is better than a point that misses one. Two
 * points that meet all requirements are compared by value. Two points that miss a requirement are compared by how far
 * they miss. Failed points come last.
 *
 * The distance of a point from meeting the requirements is the sum of its misses, each in units of the largest miss of
 * that requirement so far. K. Deb, "An efficient constraint handling method for genetic algorithms", Computer Methods
 * in Applied Mechanics and Engineering 186 (2000) 311-338, section 3.
 */
export class Ranking {
  /** The best point so far; null while all points have failed. */
  best: Told | null = null;
  readonly #largest: number[];
  /** The points so far, while each of them misses a requirement. */
  #missing: Told[] = [];

  constructor(requirements: number) {
    this.#largest = new Array<number>(requirements).fill(0);
  }

  note(told: Told): void {
    if (told.value === null) return;
    const hasGrown = told.excess.some((excess, i) => excess > this.#largest[i]!);
    told.excess.forEach((excess, i) => (this.#largest[i] = Math.max(this.#largest[i]!, excess)));
    if (this.best === null || this.compare(told, this.best) < 0) this.best = told;
    if (this.missOf(this.best) === 0) {
      this.#missing = [];
      return;
    }
    this.#missing.push(told);
    // a larger miss changes the units, and so the order of the points that miss
    if (hasGrown) this.best = this.#missing.reduce((a, b) => (this.compare(b, a) < 0 ? b : a));
  }

  /**
   * Negative if `a` is better, positive if `b` is better, 0 if neither is. Both must have been noted, unless they
   * failed.
   */
  compare(a: Told, b: Told): number {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
    const missA = this.missOf(a);
    const missB = this.missOf(b);
    return orderOf(missA, missB) || (missA > 0 ? 0 : orderOf(a.value, b.value));
  }

  /** The distance of a point from meeting the requirements; 0 if it meets them all. The point must not have failed. */
  missOf({ excess }: Told): number {
    return excess.reduce((sum, miss, i) => (miss > 0 ? sum + miss / this.#largest[i]! : sum), 0);
  }
}
