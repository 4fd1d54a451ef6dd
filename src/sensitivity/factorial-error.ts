import {
  cancelsChance,
  chanceOfEqual,
  leastOfEqualRuns,
  leastVariance,
  ROUNDING,
} from '../statistics/chance.ts';
import { fisherTail } from '../statistics/tests.ts';
import { type SumOfSquares, varianceShare } from '../statistics/variance-share.ts';
import type { Interval } from './analysis.ts';
import { MOST_CHANCE } from './chance.ts';
import { type Certainty, certainty, certaintyOf } from './contrast.ts';
import { commonTest } from './exchange.ts';
import type { FactorialTable } from './factorial-table.ts';
import { momentsOf } from './moments.ts';
import type { PointValues } from './point-values.ts';
import {
  commonReplications,
  type ErrorVariance,
  errorVariance,
  type Replicate,
  valuesAt,
} from './replicates.ts';

/** The error in the means of a factorial design, and what it leaves of effects and shares. */
export class FactorialError {
  /** Where the error comes from; undefined if nothing is known about it. */
  readonly source: 'replications' | 'measured' | 'interactions' | undefined;
  /** Whether nearly all variance is error, so that shares say nothing. */
  readonly hidesShares: boolean;
  readonly #table: FactorialTable;
  readonly #values: PointValues;
  readonly #confidence: number;
  /** The runs of each point; undefined without several runs at some point. */
  readonly #runs: readonly (readonly Replicate[])[] | undefined;
  /** The variance of the error in a run. */
  readonly #ofRun: ErrorVariance | undefined;
  /** The variance of the error in the mean of a point. */
  readonly #ofMean: ErrorVariance | undefined;
  /**
   * The least p-value of a share and of equal runs with common random numbers. Only the replications are independent, and
   * the results of a few are often equal, so no p-value is below that of a sign test of them.
   */
  readonly #leastP: number;

  constructor(table: FactorialTable, values: PointValues, confidence: number) {
    this.#table = table;
    this.#values = values;
    this.#confidence = confidence;
    const { replicates, isPaired, isShare, error, hasUnknownChance } = values;
    const { points } = table;
    const runs =
      replicates && Array.from(values.means, (mean, point) => (Number.isNaN(mean) ? [] : replicates(point)));
    const own = runs && points.map((point) => runs[point]!);
    this.#ofRun = own && this.#errorOf(own);
    this.#runs = this.#ofRun && runs;
    const common = own && isPaired ? commonReplications(own).length : 0;
    this.#leastP = common > 0 && (isShare || this.#ofRun?.isUnseen) ? chanceOfEqual(1, common - 1) : 0;
    if (this.#ofRun) {
      const { variance, freedom } = this.#ofRun;
      this.#ofMean = { variance: variance / this.#repeatsOf(points), freedom };
      this.source = 'replications';
    } else if (error) {
      this.#ofMean = error;
      this.source = 'measured';
    } else if (hasUnknownChance && table.present.length > 1) {
      const rest = table.untested(table.present.length > 2);
      this.#ofMean = rest && { variance: rest.squares / rest.freedom, freedom: rest.freedom };
      this.source = rest && 'interactions';
    }
    this.hidesShares = this.#noise * (points.length - 1) > MOST_CHANCE * table.squares;
  }

  #errorOf(runs: readonly (readonly Replicate[])[]): ErrorVariance | undefined {
    const { isPaired, isShare } = this.#values;
    const found = errorVariance(runs, isPaired);
    if (!found) return undefined;
    const count = runs.reduce((sum, { length }) => sum + length, 0);
    const common = isPaired ? commonReplications(runs) : [];
    // with common random numbers, a rare value is missing at all points together
    const independent = isPaired ? common.length : count;
    if (isShare) return { ...found, variance: Math.max(found.variance, leastVariance(independent, 0)) };
    if (found.variance > (ROUNDING * this.#table.largest) ** 2) return found;
    const isSure = isPaired && cancelsChance(runs.map((own) => valuesAt(own, common)));
    if (isSure) return { ...found, variance: 0 };
    return { ...found, variance: leastOfEqualRuns(independent, this.#table.variance), isUnseen: true };
  }

  get #noise(): number {
    return this.#ofMean?.variance ?? 0;
  }

  /** The harmonic mean of the numbers of replications of points. */
  #repeatsOf(own: readonly number[]): number {
    return own.length / own.reduce((sum, point) => sum + 1 / this.#runs![point]!.length, 0);
  }

  /**
   * A sum of squares without its error, as a share of the variance between all points without error, and its interval. If
   * some points have no value, the compared points (`own`) may have a larger variance than all points; then it is a share
   * of that variance.
   */
  shareOf(part: SumOfSquares, own: readonly number[]): [number, Interval?] {
    const { points, squares } = this.#table;
    const scale = own.length / points.length;
    const ofAll = { squares: scale * squares, freedom: scale * (points.length - 1) };
    const freedom = own.length - 1;
    const ofOwn = { squares: this.#table.momentsOf(own).variance * freedom, freedom };
    const withoutError = (one: SumOfSquares): number => one.squares - this.#noise * one.freedom;
    const all = withoutError(ofAll) > withoutError(ofOwn) ? ofAll : ofOwn;
    if (!this.#ofMean || this.#noise === 0) return [Math.min(1, part.squares / all.squares)];
    const rest = {
      squares: Math.max(0, all.squares - part.squares),
      freedom: Math.max(0, all.freedom - part.freedom),
    };
    const found = varianceShare(part, rest, this.#ofMean, this.#confidence);
    return [Math.min(1, found.share), found.interval];
  }

  /**
   * The interval and the p-value of a weighted sum of points. The change of a share is from -1 to 1. Its error is that
   * of all points also with common random numbers, because the sums of a few replications are often equal by chance.
   */
  certaintyOf(
    value: number,
    own: readonly number[],
    weights: readonly number[],
    level = this.#confidence,
  ): Certainty | undefined {
    if (!Number.isFinite(value)) return undefined;
    if (!this.#runs) {
      const inverse = weights.reduce((sum, weight) => sum + weight ** 2, 0);
      return this.#ofMean && certainty(value, this.#ofMean.variance * inverse, this.#ofMean.freedom, level);
    }
    const terms = own.map((point, at) => ({ weight: weights[at]!, replicates: this.#runs![point]! }));
    const isPaired = this.#values.isPaired && !this.#values.isShare;
    const found = certaintyOf(value, terms, level, { isPaired, error: this.#ofRun! });
    if (!found?.interval || !this.#values.isShare) return found;
    const [low, high] = found.interval;
    return { interval: [Math.max(-1, low), Math.min(1, high)], p: Math.max(found.p, this.#leastP) };
  }

  /** The probability that chance alone gives at least this part of one or two inputs. */
  pOf(inputs: readonly number[], part: SumOfSquares, own: readonly number[]): number | undefined {
    if (this.#values.isPaired && this.#ofRun && !this.#ofRun.isUnseen)
      return this.#pByReplication(inputs, own);
    const used = this.#ofRun ?? this.#ofMean;
    if (!used) return undefined;
    // with common random numbers the error may be as small as the rounding errors of a sum that is 0
    const rounding = ROUNDING ** 2 * own.reduce((all, point) => all + this.#table.at(point) ** 2, 0);
    const squares = part.squares > rounding ? part.squares : 0;
    if (used.variance === 0) return Number(squares <= ROUNDING * this.#table.squares);
    const repeats = this.#ofRun ? this.#repeatsOf(own) : 1;
    const ratio = (squares * repeats) / part.freedom / used.variance;
    return Math.max(this.#leastP, fisherTail(ratio, part.freedom, used.freedom));
  }

  /**
   * With common random numbers: the p-value of one or two inputs, by replication. In each replication, the numbers are the
   * means of levels, or those cells of the interaction from which all others follow.
   */
  #pByReplication(inputs: readonly number[], own: readonly number[]): number | undefined {
    const runs = own.map((point) => this.#runs![point]!);
    const common = commonReplications(runs);
    const rows = runs.map((one) => valuesAt(one, common));
    /** In each replication, the mean of the points at these levels of the inputs. */
    const meansAt = (...where: number[]): number[] => {
      const there = rows.filter((_, row) =>
        where.every((level, i) => this.#table.level(inputs[i]!, own[row]!) === level),
      );
      return common.map((_, column) => momentsOf(there.map((row) => row[column]!)).mean);
    };
    const [ofA, ofB] = inputs.map((input) =>
      [...new Set(own.map((point) => this.#table.level(input, point)))].toSorted((a, b) => a - b),
    ) as [number[], number[] | undefined];
    const cells = ofB ? interactionCells(ofA, ofB, meansAt) : ofA.map((level) => meansAt(level));
    const all = ofB ? [common.map(() => 0), ...cells] : cells;
    const steps = all.slice(1).map((_, at) => ({ from: ofB ? 0 : at, to: at + 1, length: 1 }));
    const replicatesOf = (cell: number): Replicate[] =>
      all[cell]!.map((value, at) => ({ replication: common[at]!, value }));
    return commonTest(steps, replicatesOf, this.#values.isShare ?? false);
  }
}

/** What each pair of levels adds to the first levels together and to each level alone. */
function interactionCells(
  [firstA, ...ofA]: readonly number[],
  [firstB, ...ofB]: readonly number[],
  meansAt: (a: number, b: number) => number[],
): number[][] {
  const neither = meansAt(firstA!, firstB!);
  return ofA.flatMap((a) =>
    ofB.map((b) => {
      const [onlyA, onlyB] = [meansAt(a, firstB!), meansAt(firstA!, b)];
      return meansAt(a, b).map((both, at) => both - onlyA[at]! - onlyB[at]! + neither[at]!);
    }),
  );
}
