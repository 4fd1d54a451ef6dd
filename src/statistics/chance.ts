import { ROUNDING, Sample } from './sample.ts';

/**
 * What chance can hide. Equal values of a few replications do not show that a model has no chance: a rare value may
 * only be missing. This file decides how much variance values have at least, and when equal values count as sure. All
 * intervals and decisions about means of replications ask it. Shares (BOOLEAN outputs, P(…)) have Wilson's interval
 * instead.
 *
 * If more than half of the values are equal, the others are rare. Then the variance of a sample is too small as soon as
 * too few of the rare values have appeared. So it is at least the variance with which Student's interval reaches as far
 * as Wilson's interval of the share of rare values. Wilson's interval is scaled by the jump, which is the distance of the
 * rare values from the frequent one. For two values, the interval of the mean is then as good as Wilson's.
 *
 * E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
 * Statistical Association 22 (1927) 209-212; A. Agresti and B. A. Coull, "Approximate is better than 'exact' for interval
 * estimation of binomial proportions", The American Statistician 52 (1998) 119-126.
 */

/**
 * This many equal values count as sure. By the rule of three, another value then has a chance of less than 1 % with 95 %
 * confidence: 0.99 to the power of 300 is 0.049. J. A. Hanley and A. Lippman-Hand, "If nothing goes wrong, is everything
 * all right?", Journal of the American Medical Association 249 (1983) 1743-1745.
 */
export const SURE = 300;

/**
 * So many rare values show how far rare values jump, if they are not all equal. The bench `truth` compares campaigns that
 * are replicated until they are precise: with 10, the intervals of losses of exponential size contain the mean in 90 % to
 * 95 % of campaigns; with 5, in 88 % to 93 %; without a limit, in 76 % to 88 %.
 */
const ENOUGH_RARE = 10;

/** Values are rare if fewer than this share of all values are not the most frequent one. */
const RARE = 0.25;

/** The half-width of an interval at 95 % in standard deviations. Wilson's interval at 95 % gives the least variance. */
const SCORE = 1.959963984540054;

/** Whether two numbers are equal except for rounding. */
export function areSame(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) <= ROUNDING * Math.min(Math.abs(a), Math.abs(b));
}

/** Whether `a` is lower than `b`, and not only by rounding. */
export function isLower(a: number, b: number): boolean {
  return a < b && !areSame(a, b);
}

/** The value that more than half of the values have, and how many values have it. */
export interface Majority {
  value: number;
  count: number;
}

/** What must be known of values, to say how much variance they have at least. */
export interface Spread extends Pick<Sample, 'count' | 'mean' | 'variance'> {
  /** Null if no value is more frequent than all others together. */
  majority: Majority | null;
}

/**
 * Samples with more different values have no most frequent value, so that a sample needs little memory, and the order of
 * its values does not matter. Its rare values are then so many that the variance of the sample shows them.
 */
export const MOST_DIFFERENT = 100;

/** Counts how often each different value comes. */
export interface Counts {
  add(value: number): void;
  /** The value that more than half of all values have; null if there is none, or if there are too many different values. */
  majorityOf(all: number): Majority | null;
}

class ValueCounts implements Counts {
  #values: number[] = [];
  /** How often each value came; undefined while each one came once. */
  #times: number[] | undefined;
  #isFull = false;

  add(value: number): void {
    if (this.#isFull) return;
    const at = this.#values.indexOf(value);
    if (at >= 0) {
      this.#times ??= this.#values.map(() => 1);
      this.#times[at]! += 1;
    } else if (this.#values.length < MOST_DIFFERENT) {
      this.#values.push(value);
      this.#times?.push(1);
    } else {
      this.#isFull = true;
      this.#values = [];
      this.#times = undefined;
    }
  }

  majorityOf(all: number): Majority | null {
    const timesOf = (at: number): number => this.#times?.[at] ?? 1;
    const at = this.#values.findIndex((_value, place) => 2 * timesOf(place) > all);
    return at < 0 ? null : { value: this.#values[at]!, count: timesOf(at) };
  }
}

/** A sample that counts its most frequent value, and knows how skewed its values are. */
export class SpreadSample extends Sample implements Spread {
  protected counts: Counts = new ValueCounts();
  /** The sum of the cubes of the differences from the mean. */
  protected cubes = 0;

  override add(value: number): void {
    const { average, squares } = this;
    super.add(value);
    const step = this.average - average;
    const n = this.count;
    this.cubes += n * (n - 1) * (n - 2) * step ** 3 - 3 * step * squares;
    this.counts.add(value);
  }

  override reset(): void {
    super.reset();
    this.cubes = 0;
    this.counts = new ValueCounts();
  }

  /** The third central moment of the values, divided by the cube of their standard deviation; 0 if it is unknown. */
  get skewness(): number {
    const skewness = (Math.sqrt(this.count) * this.cubes) / this.squares ** 1.5;
    return Number.isFinite(skewness) ? skewness : 0;
  }

  get majority(): Majority | null {
    return this.counts.majorityOf(this.count);
  }
}

export function spreadOf(values: Iterable<number>): SpreadSample {
  const sample = new SpreadSample();
  for (const value of values) sample.add(value);
  return sample;
}

/** Whether there are several values, and all are equal. */
export function areEqual({ count, majority }: Pick<Spread, 'count' | 'majority'>): boolean {
  return count > 1 && majority?.count === count;
}

/** How many values are not the most frequent one; null if no value is more frequent than all others together. */
export function othersOf({ count, majority }: Pick<Spread, 'count' | 'majority'>): number | null {
  return majority && count - majority.count;
}

/**
 * The mean square of the jump, which is the distance of the rare values from the most frequent one. If no value is
 * frequent, it is the mean square of the distance of two values. Null while all values are equal.
 */
export function squaredJumpOf({ count, mean, variance, majority }: Spread): number | null {
  if (count < 2) return null;
  if (!majority) return 2 * variance!;
  const others = count - majority.count;
  const squaredJumps = (count - 1) * variance! + count * (mean! - majority.value) ** 2;
  return others === 0 ? null : squaredJumps / others;
}

/** The largest squared jump of several samples; null if the values of each sample are equal. */
export function largestSquaredJump(spreads: Iterable<Spread>): number | null {
  let largest: number | null = null;
  for (const spread of spreads) {
    const squared = squaredJumpOf(spread);
    if (squared !== null && (largest === null || squared > largest)) largest = squared;
  }
  return largest;
}

/**
 * Whether chance may hide so much that there is no interval: fewer than {@link SURE} values are known, and the rare values
 * among them are too few to show how far they jump. Two equal rare values are enough, because then the output probably has
 * only two values.
 */
export function hidesChance(spread: Spread): boolean {
  const { count, mean, majority } = spread;
  const others = othersOf(spread);
  if (others === null || others >= RARE * count || others >= ENOUGH_RARE || count >= SURE) return false;
  if (others < 2) return true;
  const meanJump = (count * (mean! - majority!.value)) / others;
  // the mean of the squares is above the square of the mean if the rare values differ by more than rounding
  return squaredJumpOf(spread)! > meanJump ** 2 * (1 + 1e-9);
}

/**
 * The confidence with which each of several intervals must hold, so that all of them hold together with the given
 * confidence. The interval of the best of these points then holds too, although the point was chosen by its value.
 *
 * O. J. Dunn, "Multiple comparisons among means", Journal of the American Statistical Association 56 (1961) 52-64.
 */
export function confidenceAmong(points: number, confidence: number): number {
  return 1 - (1 - confidence) / points;
}

/** So many of the next points tell how much the values of the best point vary. */
const NEXT_POINTS = 9;

/**
 * The variance of single values at a point that was chosen by its mean: at least the mean variance of the next points. If
 * values are skewed, a mean is low by luck where the variance is low by luck too. The bench `truth` takes the best of 48
 * points with an exponential output and ten runs: with the variance of the point alone, its interval contains the true mean
 * in 56 % of campaigns.
 *
 * @param next - the variances at the next points; null if unknown
 */
export function chosenVariance(own: number, next: readonly (number | null)[]): number {
  const known = next.slice(0, NEXT_POINTS).flatMap((variance) => variance ?? []);
  if (known.length === 0) return own;
  return Math.max(own, known.reduce((sum, variance) => sum + variance, 0) / known.length);
}

/** The spread of more values with the same mean, variance and shares. */
export function grown(spread: Spread, count: number): Spread {
  if (count === spread.count) return spread;
  const { mean, variance, majority } = spread;
  const others = ((othersOf(spread) ?? 0) * count) / spread.count;
  return { count, mean, variance, majority: majority && { ...majority, count: count - others } };
}

/**
 * The least variance of single values, for a jump of 1.
 *
 * @param count - of values
 * @param others - how many of them are not the most frequent one. Both need not be whole numbers
 */
export function leastVariance(count: number, others: number): number {
  const share = others / count;
  const square = SCORE ** 2;
  // the distance from the share to the farther end of Wilson's interval
  const middle = (share + square / (2 * count)) / (1 + square / count);
  const half = (SCORE * Math.sqrt(count * share * (1 - share) + square / 4)) / (count + square);
  return count * ((Math.abs(middle - share) + half) / SCORE) ** 2;
}

/** A variance below this is a sum of squares with few digits, or of none. */
const LEAST_NUMBER = 2 ** -970;

/**
 * The variance of the values. Null without values, and if the squares of the differences are too small or too large for a
 * number.
 */
export function varianceOf(spread: Spread): number | null {
  const { variance } = spread;
  const isKnown =
    variance !== null &&
    variance < Infinity &&
    (variance > LEAST_NUMBER || spread.count < 2 || areEqual(spread));
  return isKnown ? variance : null;
}

/**
 * The variance of single values, at least as large as chance allows. 0 if so many values are equal that they count as
 * sure. Null if it is unknown: for a single value, while {@link hidesChance} and no jump is known, and if the squares of
 * the differences are too small or too large for a number.
 *
 * @param squaredJump - a squared jump that is known from elsewhere, as in {@link squaredJumpOf}. It counts if all values
 * are equal
 */
export function chanceVariance(spread: Spread, squaredJump: number | null = null): number | null {
  const { count } = spread;
  const variance = varianceOf(spread);
  if (count < 2 || variance === null) return null;
  const others = othersOf(spread);
  if (others === null) return variance;
  if (squaredJump === null && hidesChance(spread)) return null;
  const square = squaredJumpOf(spread) ?? squaredJump;
  return square === null ? 0 : Math.max(variance, square * leastVariance(count, others));
}

/**
 * The least variance of single values if the runs of each of several points are equal: a rare value may only be missing, and
 * its jump is probably not larger than the differences of the points. 0 if there are so many runs that they count as sure.
 *
 * @param count - of runs that are independent of each other
 * @param between - the variance of the points' values
 */
export function leastOfEqualRuns(count: number, between: number): number {
  // two independent values with this variance have a mean square of their difference of twice the variance
  return count >= SURE ? 0 : 2 * between * leastVariance(count, 0);
}

/** Equal differences are luck with at most this probability if they count as sure. */
const LUCK = 1e-4;
/** The number of significant digits without rounding errors. */
const DIGITS = 12;

/**
 * Whether common random numbers take away the whole chance: the differences of points are equal in all replications, while
 * the values of a point differ so finely that the equal differences are no luck. Counts, for example, have few values, so
 * equal differences of a few counts prove nothing.
 *
 * @param points - the values of each point, one for each common replication
 */
export function cancelsChance(points: readonly (readonly number[])[]): boolean {
  return points.some((own) => {
    const areAllDifferent = new Set(own).size === own.length;
    // the power is the probability that all later differences are equal to the first one by luck
    return areAllDifferent && stepsIn(own) ** (1 - own.length) <= LUCK;
  });
}

/** The number of decimals of the same length between the smallest and the largest of some numbers. */
function stepsIn(values: readonly number[]): number {
  const decimals = values.map((value) => {
    const [digits, exponent = '0'] = value.toPrecision(DIGITS).split('e');
    return (/\.(\d*?)0*$/.exec(digits!)?.[1]!.length ?? 0) - Number(exponent);
  });
  return 1 + (Math.max(...values) - Math.min(...values)) * 10 ** Math.max(...decimals);
}

/**
 * The probability that chance alone gives equal values other than 0: that of a sign test, because equal values have the
 * same sign as often as a coin falls on the same side.
 *
 * @param value - the equal values
 * @param freedom - one less than their number, or the degrees of freedom of their variance
 */
export function chanceOfEqual(value: number, freedom: number): number {
  return value === 0 ? 1 : 2 ** -freedom;
}
