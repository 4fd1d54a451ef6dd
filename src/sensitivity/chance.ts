import type { Chance, Method } from './analysis.ts';
import type { ErrorVariance } from './replicates.ts';

/**
 * If the share of chance in the variance of the points' means is larger than this, nothing can be said about the rest
 * of the variance.
 */
export const MOST_CHANCE = 0.9;

/** Separates the variance of chance from the variance between points. It needs only a few running sums. */
export class ChanceSums {
  #squares = 0;
  #freedom = 0;
  /** Number of points with values. */
  #points = 0;
  /** The sum of 1 / (number of values) over these points. */
  #inverse = 0;
  #mean = 0;
  #between = 0;

  /** @param values - the values of a point's replications, at least one */
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

  /** The variance of chance in the mean of a point; undefined if no point has two values. */
  error(): ErrorVariance | undefined {
    if (this.#freedom < 1) return undefined;
    const variance = ((this.#squares / this.#freedom) * this.#inverse) / this.#points;
    return { variance, freedom: this.#freedom };
  }

  /**
   * The shares of chance, by the law of total variance. Chance is the mean variance within points. The rest is the
   * variance of the points' means, minus the part that chance adds to it. With common random numbers nothing is
   * subtracted, because chance is largely the same in all points.
   *
   * @returns undefined if no point has two values, if there is only one point, and if all values are equal
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

/** The effect of chance whose share is unknown, as a part of a sentence. Other methods say it in their own warnings. */
const UNKNOWN_CHANCE: Partial<Record<Method, string>> = {
  sobol: 'any effect of chance is a part of the total indices',
  morris: 'any effect of chance makes μ* and σ too high',
};

/** The warnings for a method if each point has one run with a seed of its own. */
export function unknownChanceWarnings(method: Method): string[] {
  const effect = UNKNOWN_CHANCE[method];
  if (!effect) return [];
  return [
    `Each point has one run with its own seed, so ${effect}. With "replications: 2" or more, the share of chance is known; with "commonRandomNumbers: true", chance is the same at all points.`,
  ];
}
