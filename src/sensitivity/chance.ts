import { leastOfEqualRuns } from '../statistics/chance.ts';
import { ROUNDING } from '../statistics/sample.ts';
import { fisherTail } from '../statistics/tests.ts';
import type { Chance, Method } from './analysis.ts';
import type { ErrorVariance } from './replicates.ts';

/**
 * If the share of chance in the variance of the points' means is larger than this, nothing can be said about the rest
 * of the variance.
 */
export const MOST_CHANCE = 0.9;

/** The level of the test whether the share of chance may be above {@link MOST_CHANCE}. */
const LEVEL = 0.025;

/**
 * The confidence with which the intervals of shares are computed. Near {@link MOST_CHANCE}, luck decides whether shares are
 * shown. An interval that is not shown would be so wide that it contains the truth. So among those that are shown, about
 * twice as many are wrong, and the permitted error is halved.
 *
 * @param chance - the share of chance in the variance of the means of points
 * @param points - the number of points
 * @param freedom - the degrees of freedom of the variance of chance
 */
export function confidenceOfShares(
  confidence: number,
  chance: number | undefined,
  points: number,
  freedom: number | undefined,
): number {
  if (!chance || freedom === undefined) return confidence;
  const mayBeHidden = fisherTail(MOST_CHANCE / chance, points - 1, freedom) > LEVEL;
  return mayBeHidden ? 1 - (1 - confidence) / 2 : confidence;
}

/** Separates the variance of chance from the variance between points. It needs only a few running sums. */
export class ChanceSums {
  /** The sum of squares within the points, and its degrees of freedom. */
  #squares = 0;
  #freedom = 0;
  /** Number of points with values. */
  #points = 0;
  /** The sum of 1 / (number of values) over these points. */
  #inverse = 0;
  /** The mean of the points' means, and their sum of squares. */
  #mean = 0;
  #between = 0;
  /** The smallest number of values of a point. */
  #fewest = Infinity;
  /** The replications that have values: the first one, and whether there are others. */
  #replication: number | undefined;
  #hasOthers = false;

  /** Notes the number of a replication that has a value. */
  note(replication: number): void {
    this.#replication ??= replication;
    this.#hasOthers ||= replication !== this.#replication;
  }

  /**
   * Whether nothing shows the chance in the differences of points, because no point has two values. With common random
   * numbers, values of one replication have the same chance at all points, so it is not in their differences.
   *
   * @param isPaired - whether the random numbers are common
   */
  isUnknown(isPaired: boolean): boolean {
    if (this.#freedom > 0 || this.#replication === undefined) return false;
    return this.#hasOthers || !isPaired;
  }

  /** Whether all values are of one replication. */
  get isOfOneReplication(): boolean {
    return this.#replication !== undefined && !this.#hasOthers;
  }

  /** @param values - the values of a point's replications, at least one */
  add(values: readonly number[]): void {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    // the mean of equal values is equal to them only apart from rounding
    if (squares > values.length * (ROUNDING * mean) ** 2) this.#squares += squares;
    this.#freedom += values.length - 1;
    this.#points += 1;
    this.#fewest = Math.min(this.#fewest, values.length);
    this.#inverse += 1 / values.length;
    const difference = mean - this.#mean;
    this.#mean += difference / this.#points;
    this.#between += difference * (mean - this.#mean);
  }

  /**
   * The variance of chance in the mean of a point; undefined if no point has two values. If the runs of each point are
   * equal, it is 0 only if they are so many that they count as sure.
   *
   * @param isPaired - whether the random numbers are common, so that a rare value is missing at all points together
   */
  error(isPaired: boolean): ErrorVariance | undefined {
    if (this.#freedom < 1) return undefined;
    const freedom = this.#freedom;
    const ofMean = this.#inverse / this.#points;
    if (this.#squares > 0) return { variance: (this.#squares / freedom) * ofMean, freedom };
    // freedom + points is the number of all values
    const independent = isPaired ? this.#fewest : freedom + this.#points;
    const between = this.#points > 1 ? this.#between / (this.#points - 1) : 0;
    return { variance: leastOfEqualRuns(independent, between) * ofMean, freedom, isUnseen: true };
  }

  /**
   * The shares of chance, by the law of total variance. Chance is the mean variance within points. The rest is the
   * variance of the points' means, minus the part that chance adds to it. With common random numbers nothing is
   * subtracted, because chance is largely the same in all points.
   *
   * @returns undefined if no point has two values, if there is only one point, and if all values are equal
   */
  shares(isPaired: boolean): Chance | undefined {
    if (this.#freedom < 1 || this.#points < 2) return undefined;
    const within = this.#squares / this.#freedom;
    const ofMeans = this.#between / (this.#points - 1);
    const noise = isPaired ? 0 : (within * this.#inverse) / this.#points;
    const all = within + Math.max(0, ofMeans - noise);
    if (all === 0) return undefined;
    return {
      ofRuns: within / all,
      ...(!isPaired && { ofMeans: ofMeans === 0 ? 1 : Math.min(1, noise / ofMeans) }),
      ...(within === 0 && this.error(isPaired)!.variance > 0 && { mayBeHidden: true }),
    };
  }
}

/** The effect of chance whose share is unknown, as a part of a sentence. Other methods say it in their own warnings. */
const UNKNOWN_CHANCE: Partial<Record<Method, string>> = {
  sobol: 'any effect of chance is a part of the total indices',
  morris: 'any effect of chance makes μ* and σ too high',
};

/**
 * The warnings for a method if no point has two values, and each run has a seed of its own.
 *
 * @param isRepeated - whether the campaign has several replications, although no point has two values
 */
export function unknownChanceWarnings(method: Method, isRepeated = false): string[] {
  const effect = UNKNOWN_CHANCE[method];
  if (!effect) return [];
  if (isRepeated) return [`No point has two runs with a value, so ${effect}.`];
  return [
    `Each point has one run with its own seed, so ${effect}. With "replications: 2" or more, the share of chance is known; with "commonRandomNumbers: true", chance is the same at all points.`,
  ];
}
