import type { Chance } from './analysis.ts';

/** Separates the variance of chance from the variance between points, in a few running sums. */
export class ChanceSums {
  #squares = 0;
  #freedom = 0;
  /** Number of points with values, and the sum of 1 over their numbers of values. */
  #points = 0;
  #inverse = 0;
  #mean = 0;
  #between = 0;

  /** @param values - of the replications of a point; at least one */
  add(values: readonly number[]): void {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    this.#squares += values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    this.#freedom += values.length - 1;
    this.#points += 1;
    this.#inverse += 1 / values.length;
    const difference = mean - this.#mean;
    this.#mean += difference / this.#points;
    this.#between += difference * (mean - this.#mean);
  }

  /**
   * By the law of total variance: the mean variance within points, and the variance of the points' means less the part
   * that chance adds to it. With common random numbers chance is largely the same in all points, and nothing is
   * subtracted.
   *
   * @returns undefined without replications, and for a constant
   */
  result(isPaired: boolean): Chance | undefined {
    if (this.#freedom < 1 || this.#points < 2) return undefined;
    const within = this.#squares / this.#freedom;
    const ofMeans = this.#between / (this.#points - 1);
    const noise = isPaired ? 0 : (within * this.#inverse) / this.#points;
    const all = within + Math.max(0, ofMeans - noise);
    if (all === 0) return undefined;
    return {
      ofRuns: within / all,
      ...(!isPaired && { ofMeans: ofMeans === 0 ? 1 : Math.min(1, noise / ofMeans) }),
    };
  }
}
