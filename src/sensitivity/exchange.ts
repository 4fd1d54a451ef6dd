import { streamKey, uniformAt } from '../campaign/sampling/threefry.ts';
import { incompleteBeta } from '../statistics/beta.ts';
import { cancelsChance, chanceOfEqual } from '../statistics/chance.ts';
import { ROUNDING as ROUNDING_OF_VALUES, sumOf } from '../statistics/sample.ts';
import { normalCdf } from '../statistics/normal.ts';
import { fisherTail, studentTails } from '../statistics/tests.ts';
import { certainty } from './contrast.ts';
import { areEqual, momentsOf } from './moments.ts';
import type { PointValues } from './point-values.ts';
import type { PointTable } from './points.ts';
import { commonReplications, type ErrorVariance, type Replicate, valuesAt } from './replicates.ts';

/**
 * A pair of points that differ only in one input. The value of the input rises from one to the other; texts have any
 * order.
 */
export interface Step {
  input: number;
  /** The indices of both points; −1 for an unknown point. */
  from: number;
  to: number;
  /**
   * The difference of the ranks of both values of the input, so that a few extreme values do not decide a test. All steps
   * between texts are equally long.
   */
  length: number;
}

/** Returns a function that puts the point with the lower value of the input first, and measures the step. */
export function rising(table: PointTable, inputs: readonly string[]): (step: Omit<Step, 'length'>) => Step {
  const columns = inputs.map((name) => {
    const place = table.inputs.findIndex((one) => one.name === name);
    const column = table.column(place);
    const rankOf = new Map([...new Set(column)].sort((a, b) => a - b).map((value, rank) => [value, rank]));
    return { isText: table.isText(place), ranks: column.map((value) => rankOf.get(value)!) };
  });
  return ({ input, from, to }) => {
    const { isText, ranks } = columns[input]!;
    const change = ranks[to]! - ranks[from]!;
    const length = isText ? 1 : Math.abs(change);
    return change < 0 ? { input, from: to, to: from, length } : { input, from, to, length };
  };
}

/**
 * The p-value of each input, from pairs of points that differ only in it.
 *
 * @returns a list of undefined values if the share of chance is unknown, or if runs of a point never differ
 */
export function stepTests(
  inputs: number,
  steps: readonly Step[],
  { means, replicates, isPaired, isShare = false, error }: PointValues,
): (number | undefined)[] {
  const isKnown = (point: number): boolean => point >= 0 && !Number.isNaN(means[point]!);
  const ofInput = Array.from({ length: inputs }, (): Step[] => []);
  for (const step of steps) if (isKnown(step.from) && isKnown(step.to)) ofInput[step.input]!.push(step);
  // the runs of each point are equal, and so many that they count as sure
  if (error?.variance === 0) return ofInput.map(() => undefined);
  return ofInput.map((pairs) => {
    if (replicates && isPaired) return commonTest(pairs, replicates, isShare);
    if (replicates) {
      const test = new ExchangeTest();
      for (const step of pairs) test.add(step, replicates(step.from), replicates(step.to));
      return test.p();
    }
    return error && varianceTest(pairs, means, error);
  });
}

/**
 * A test of one input: pairs of points that differ only in this input have different means only by chance.
 *
 * The test is a permutation test. If the input has no effect, the runs of the two points of a pair may be exchanged. So
 * the distributions of the sum of the differences and of the sum of their squares follow from the values themselves,
 * whatever the distribution of chance is, and even if chance depends on the other inputs. The first sum finds effects
 * with one direction, so a pair counts as much as its step is long; the second one finds all others. Bonferroni's factor
 * allows for both.
 *
 * Over all exchanges, the first sum has about a normal distribution. The second one has about a beta distribution with
 * the same mean, variance and maximum; if few pairs dominate it, random exchanges give its distribution: E. J. G. Pitman,
 * "Significance tests which may be applied to samples from any populations", Supplement to the Journal of the Royal
 * Statistical Society 4 (1937) 119-130. No p-value is below the probability of the most extreme exchange.
 */
class ExchangeTest {
  /** The points of earlier pairs. A point that is in two pairs would make them dependent. */
  readonly #seen = new Set<number>();
  /** The sum of the differences, each times the length of its step, and the variance of this sum over all exchanges. */
  #difference = 0;
  #differenceVariance = 0;
  /** The sum of the squares, and its mean, variance and maximum over all exchanges. */
  #sum = 0;
  #mean = 0;
  #variance = 0;
  #most = 0;
  /** For each pair: the square after a random exchange. */
  readonly #draws: ExchangeMoments['draw'][] = [];
  /** The smallest mean of a squared difference, times the square of the length of its step. */
  #least = Infinity;
  /** The logarithms of the probabilities of the most extreme difference and of the largest sum of squares. */
  #logExtreme = Math.log(2);
  #logLargest = 0;

  /** Adds a pair of points with the runs of each. Pairs without information do not count. */
  add({ from, to, length }: Step, ofFrom: readonly Replicate[], ofTo: readonly Replicate[]): void {
    if (from === to || this.#seen.has(from) || this.#seen.has(to)) return;
    const found = exchangeMoments(ofFrom, ofTo);
    if (!found) return;
    this.#seen.add(from).add(to);
    this.#difference += length * found.difference;
    this.#differenceVariance += length ** 2 * found.mean;
    this.#sum += found.difference ** 2;
    this.#mean += found.mean;
    if (found.mean > 0) {
      this.#least = Math.min(this.#least, length ** 2 * found.mean);
      this.#logExtreme += Math.log(found.extreme);
    }
    this.#most += found.most;
    this.#draws.push(found.draw);
    // otherwise no exchange changes the square
    if (found.fourth > (1 + ROUNDING) * found.mean ** 2) {
      this.#variance += found.fourth - found.mean ** 2;
      this.#logLargest += Math.log(found.largest);
    }
  }

  /** The p-value; undefined if no pair has enough runs. */
  p(): number | undefined {
    if (this.#seen.size === 0) return undefined;
    if (this.#mean === 0) return 1;
    // a correction for continuity: exchanging the runs of one pair changes the sum by twice its difference
    const beyond = Math.max(0, Math.abs(this.#difference) - Math.sqrt(this.#least));
    const ofDifference = 2 * normalCdf(-beyond / Math.sqrt(this.#differenceVariance));
    return Math.min(
      1,
      2 * Math.max(ofDifference, Math.exp(this.#logExtreme)),
      2 * Math.max(this.#ofSquares(), Math.exp(this.#logLargest)),
    );
  }

  #ofSquares(): number {
    const [sum, mean, most, variance] = [this.#sum, this.#mean, this.#most, this.#variance];
    if (variance === 0) return 1;
    // the beta distribution of sum / most, from its mean and the sum of its two parameters
    const middle = mean / most;
    const both = (middle * (1 - middle)) / (variance / most ** 2) - 1;
    const fitted = incompleteBeta(1 - Math.min(1, sum / most), (1 - middle) * both, middle * both);
    const freedom = (2 * mean ** 2) / variance;
    if (freedom > FEW_PAIRS) return fitted;
    const key = streamKey('foray exchanges', 0, String(this.#draws.length));
    let at = 0;
    const uniform = (): number => uniformAt(key, (at += 1), 0);
    let count = 0;
    for (let exchange = 0; exchange < EXCHANGES; exchange += 1) {
      const drawn = this.#draws.reduce((total, draw) => total + draw(uniform), 0);
      if (drawn >= (1 - ROUNDING) * sum) count += 1;
    }
    // beyond the precision of the random exchanges, the fitted distribution decides
    return count > 0 ? (count + 1) / (EXCHANGES + 1) : Math.min(fitted, 1 / (EXCHANGES + 1));
  }
}

/** The number of random exchanges. */
const EXCHANGES = 1_999;
/** If the sum of squares has fewer effective degrees of freedom than this, few pairs dominate it. */
const FEW_PAIRS = 50;
/** A square that is larger than another one by less than this share is equal, apart from rounding. */
const ROUNDING = 1e-9;

/** A difference of two means, and the distribution of its square over all exchanges. */
interface ExchangeMoments {
  difference: number;
  /** The mean of the square. */
  mean: number;
  /** The mean of the fourth power of the difference. */
  fourth: number;
  /** The largest square. */
  most: number;
  /** The probability of the largest square with one sign. */
  extreme: number;
  /** The probability of the largest square with any sign. */
  largest: number;
  /** The square after a random exchange. */
  draw: (uniform: () => number) => number;
}

/** Each run of both points may belong to either of them. Undefined if there are too few runs to change the square. */
function exchangeMoments(ofA: readonly Replicate[], ofB: readonly Replicate[]): ExchangeMoments | undefined {
  const [n, m] = [ofA.length, ofB.length];
  const all = n + m;
  if (n === 0 || m === 0 || all < 3) return undefined;
  const values = [...ofA, ...ofB].map(({ value }) => value);
  const center = sumOf(values) / all;
  const slack = slackOf(values);
  const centered = values.map((value) => (Math.abs(value - center) > slack ? value - center : 0));
  // the sum of the runs of one point decides the difference, because the sum of all runs is 0
  const unit = (1 / n + 1 / m) ** 2;
  const squares = sumOf(centered.map((value) => value ** 2));
  const fourths = sumOf(centered.map((value) => value ** 4));
  // the probabilities that one, two, three or four given runs are all among those of one point
  const chosen = [1, 2, 3, 4].map((count) => {
    let share = 1;
    for (let at = 0; at < count; at += 1) share *= (n - at) / Math.max(1, all - at);
    return Math.max(0, share);
  });
  const [one, two, three, four] = chosen as [number, number, number, number];
  const sorted = centered.toSorted((a, b) => a - b);
  // the n largest values; the lowest of them may be chosen in several ways, because other values may be equal to it
  const largest = sorted.slice(m);
  const countEdge = (some: readonly number[]): number => some.filter((value) => value === sorted[m]).length;
  const extreme = choices(countEdge(sorted), countEdge(largest)) / choices(all, n);
  return {
    difference: -Math.sqrt(unit) * sumOf(centered.slice(0, n)),
    mean: unit * (one - two) * squares,
    fourth:
      unit ** 2 *
      (one * fourths +
        two * (3 * squares ** 2 - 7 * fourths) +
        6 * three * (2 * fourths - squares ** 2) +
        four * (3 * squares ** 2 - 6 * fourths)),
    most: unit * Math.max(sumOf(sorted.slice(0, n)) ** 2, sumOf(largest) ** 2),
    extreme,
    largest: n === m ? Math.min(1, 2 * extreme) : extreme,
    draw: (uniform) => {
      let sum = 0;
      // the first n steps of a shuffle
      for (let at = 0; at < n; at += 1) {
        const other = at + Math.floor(uniform() * (all - at));
        [centered[at], centered[other]] = [centered[other]!, centered[at]!];
        sum += centered[at]!;
      }
      return unit * sum ** 2;
    },
  };
}

/**
 * The same test with common random numbers. Only the replications are independent: all differences of a replication may
 * have the same chance, so more pairs are not always more evidence. The sum over the pairs of each replication is a value
 * of a sample, with Student's test. The sum of squares has Fisher's test, with the degrees of freedom that the differences
 * of replications show: G. E. P. Box, "Some theorems on quadratic forms applied in the study of analysis of variance
 * problems, II", Annals of Mathematical Statistics 25 (1954) 484-498, theorem 6.1. Differences that are equal in all
 * replications are as sure as `chanceOfEqual` says.
 */
function commonTest(
  pairs: readonly Omit<Step, 'input'>[],
  replicates: (point: number) => readonly Replicate[],
  isShare: boolean,
): number | undefined {
  // by replication: the sums over the pairs, and how far each difference is from the mean of its pair
  const own = new Map<number, { sum: number; length: number; deviations: number[] }>();
  let [between, within, isCancelled] = [0, 0, false];
  for (const [pair, { from, to, length }] of pairs.entries()) {
    const common = from === to ? [] : commonReplications([replicates(from), replicates(to)]);
    if (common.length < 2) continue;
    const low = valuesAt(replicates(from), common);
    const high = valuesAt(replicates(to), common);
    const slack = slackOf([...low, ...high]);
    const differences = low.map((value, at) => (Math.abs(high[at]! - value) > slack ? high[at]! - value : 0));
    const { mean, variance } = momentsOf(differences);
    between += common.length * mean ** 2;
    if (variance > slack ** 2) within += variance;
    isCancelled ||= cancelsChance([low, high]);
    for (const [at, replication] of common.entries()) {
      const found = own.get(replication) ?? { sum: 0, length: 0, deviations: pairs.map(() => 0) };
      found.sum += length * differences[at]!;
      found.length += length;
      found.deviations[pair] = differences[at]! - mean;
      own.set(replication, found);
    }
  }
  if (own.size < 2) return undefined;
  const freedom = own.size - 1;
  if (within === 0) return between > 0 && isCancelled ? 0 : chanceOfEqual(between, freedom);
  const all = [...own.values()];
  const ofAll = momentsOf(all.map(({ sum, length }) => sum / length));
  const variance = areEqual(ofAll) ? 0 : ofAll.variance;
  const independent = effectiveRank(all.map(({ deviations }) => deviations));
  const p = Math.min(
    1,
    2 * certainty(ofAll.mean, variance / all.length, freedom, 0.95).p,
    2 * fisherTail(between / within, independent, independent * freedom),
  );
  // the shares of a few replications are often equal
  return isShare ? Math.max(p, chanceOfEqual(1, freedom)) : p;
}

/** The effective number of independent columns of a table: from 1 to the number of its columns, and less than its rows. */
export function effectiveRank(rows: readonly ArrayLike<number>[]): number {
  let [trace, squares] = [0, 0];
  for (const [at, row] of rows.entries())
    for (let other = 0; other <= at; other += 1) {
      let product = 0;
      for (let column = 0; column < row.length; column += 1) product += row[column]! * rows[other]![column]!;
      if (other === at) trace += product;
      squares += (other === at ? 1 : 2) * product ** 2;
    }
  // apart from rounding, it is at least 1
  return Math.max(1, trace ** 2 / squares);
}

/** The largest difference of values that may come only from rounding. */
function slackOf(values: readonly number[]): number {
  return ROUNDING_OF_VALUES * values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

/** The number of ways to choose some of all items. */
function choices(all: number, some: number): number {
  let count = 1;
  for (let at = 1; at <= some; at += 1) count *= (all - some + at) / at;
  return count;
}

/**
 * The same test from the variance of chance alone, if the runs of the points are unknown.
 *
 * @param error - the variance of chance in the mean of a point
 */
function varianceTest(pairs: readonly Step[], means: Float64Array, error: ErrorVariance): number | undefined {
  // a point that is in two pairs would make them dependent
  const seen = new Set<number>();
  const differences = pairs.flatMap(({ from, to }) => {
    if (from === to || seen.has(from) || seen.has(to)) return [];
    seen.add(from).add(to);
    return means[to]! - means[from]!;
  });
  const count = differences.length;
  if (count === 0) return undefined;
  const sd = Math.sqrt(2 * error.variance);
  const standardized = differences.map((one) => one / sd);
  return Math.min(
    1,
    2 * studentTails(sumOf(standardized) / Math.sqrt(count), error.freedom),
    2 * fisherTail(sumOf(standardized.map((one) => one * one)) / count, count, error.freedom),
  );
}
