import { cancelsChance, chanceOfEqual, leastOfEqualRuns, leastVariance } from '../statistics/chance.ts';
import { ROUNDING } from '../statistics/sample.ts';
import { fisherTail } from '../statistics/tests.ts';
import { type SumOfSquares, varianceShare, type WithChance } from '../statistics/variance-share.ts';
import type { Interval } from './analysis.ts';
import { MOST_CHANCE } from './chance.ts';
import { type Certainty, certaintyOf, certaintyOfMeans } from './contrast.ts';
import { effectiveRank } from './exchange.ts';
import type { FactorialTable, Part } from './factorial-table.ts';
import { type PointValues, runsOfPoints } from './point-values.ts';
import {
  commonReplications,
  type ErrorVariance,
  errorVariance,
  type Replicate,
  valuesAt,
} from './replicates.ts';

/** So many replications are enough to estimate how many values of a part vary independently. */
const MANY = 30;

/** Finds a part in the means of all replications, or in the values of one. */
type PartIn = (table: FactorialTable) => Part;

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
  /** With common random numbers: the values of each replication that all points have. Only replications are independent. */
  readonly #ofReplications: readonly FactorialTable[] | undefined;
  /**
   * The least p-value of a share and of equal runs with common random numbers. Only the replications are independent, and
   * the results of a few are often equal, so no p-value is below that of a sign test of them.
   */
  readonly #leastP: number;

  constructor(table: FactorialTable, values: PointValues, confidence: number) {
    this.#table = table;
    this.#values = values;
    this.#confidence = confidence;
    const { isPaired, isShare, error, hasUnknownChance } = values;
    const { points } = table;
    const runs = runsOfPoints(values);
    const own = runs && points.map((point) => runs[point]!);
    this.#ofRun = own && this.#errorOf(own);
    this.#runs = this.#ofRun && runs;
    const common = own && isPaired ? commonReplications(own) : [];
    this.#leastP =
      common.length > 0 && (isShare || this.#ofRun?.isUnseen) ? chanceOfEqual(1, common.length - 1) : 0;
    if (own && common.length > 1) {
      const rows = own.map((one) => valuesAt(one, common));
      this.#ofReplications = common.map((_, column) => {
        const means = new Float64Array(values.means.length).fill(NaN);
        for (const [at, point] of points.entries()) means[point] = rows[at]![column]!;
        return table.of(means);
      });
    }
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
  #repeatsOf(points: readonly number[]): number {
    return points.length / points.reduce((sum, point) => sum + 1 / this.#runs![point]!.length, 0);
  }

  /**
   * A part without its error, as a share of the variance between all points without error, and its interval. If some
   * points have no value, the compared points may have a larger variance than all points; then it is a share of that
   * variance.
   *
   * @param own - the compared points, here and below
   * @param p - the p-value of the part. If it says nothing, the interval reaches down to 0
   */
  shareOf(partIn: PartIn, own: readonly number[], p = this.#leastP): [number, Interval?] {
    const part = partIn(this.#table);
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
    const { share, interval } = varianceShare(
      this.#withChance(part, partIn),
      this.#withChance(rest, (table) => table.without(partIn(table), own)),
      this.#confidence,
    );
    const low = p > 1 - this.#confidence ? Math.min(0, share) : interval[0];
    return [Math.min(1, share), [Math.min(1, low), Math.min(1, interval[1])]];
  }

  /**
   * Adds the chance in a sum of squares. With common random numbers, chance may add nothing to a part. Its limits then
   * allow for the chance in the means.
   */
  #withChance({ squares, freedom }: SumOfSquares, partIn: PartIn): WithChance {
    const found = this.#byReplication(partIn);
    if (!found) return { squares, freedom, chance: this.#ofMean! };
    const chance = found.variance > 0 ? found : this.#ofMean!;
    return { squares, freedom, chance, added: freedom * found.variance };
  }

  /**
   * With common random numbers: the variance of the error that a part has in the mean of a point. It may differ from that
   * of other parts, because only the replications are independent. So it comes from the differences of the part between
   * replications, and its degrees of freedom are those that they show (Box, as for the test of pairs in `exchange.ts`).
   */
  #byReplication(partIn: PartIn): (ErrorVariance & { rank: number }) | undefined {
    if (!this.#ofReplications) return undefined;
    const { values, freedom } = partIn(this.#table);
    if (freedom === 0) return undefined;
    const apart = this.#ofReplications.map((table) =>
      partIn(table).values.map((value, at) => value - values[at]!),
    );
    const squares = apart.reduce((sum, own) => sum + own.reduce((all, one) => all + one ** 2, 0), 0);
    const slack = ROUNDING * this.#table.largest;
    const others = apart.length - 1;
    const rank = freedom > 1 ? Math.min(freedom, effectiveRank(apart.slice(0, MANY))) : 1;
    const variance = squares <= values.length * slack ** 2 ? 0 : squares / others / freedom / apart.length;
    return { variance, freedom: rank * others, rank };
  }

  /**
   * The interval and the p-value of a weighted sum of points. The change of a share is from -1 to 1. Its error is that
   * of all points also with common random numbers, because the sums of a few replications are often equal by chance. If
   * the error of these sums is larger, it counts.
   */
  certaintyOf(
    value: number,
    own: readonly number[],
    weights: readonly number[],
    level = this.#confidence,
  ): Certainty | undefined {
    if (!Number.isFinite(value)) return undefined;
    if (!this.#runs) return certaintyOfMeans(value, weights, this.#ofMean, level);
    const terms = own.map((point, at) => ({ weight: weights[at]!, replicates: this.#runs![point]! }));
    const { isPaired, isShare } = this.#values;
    const found = certaintyOf(value, terms, level, { isPaired: isPaired && !isShare, error: this.#ofRun! });
    if (!found?.interval || !isShare) return found;
    const ofEach = isPaired ? certaintyOf(value, terms, level, { isPaired }) : undefined;
    const ends = [...found.interval, ...(ofEach?.interval ?? []), ...(this.#leastP > 1 - level ? [0] : [])];
    return {
      interval: [Math.max(-1, Math.min(...ends)), Math.min(1, Math.max(...ends))],
      p: Math.max(found.p, ofEach?.interval ? ofEach.p : 0, this.#leastP),
    };
  }

  /** The probability that chance alone gives at least this part of one or two inputs. */
  pOf(partIn: PartIn, own: readonly number[]): number | undefined {
    const part = partIn(this.#table);
    const used = this.#ofRun ?? this.#ofMean;
    if (!used) return undefined;
    // with common random numbers the error may be as small as the rounding errors of a sum that is 0
    const rounding = ROUNDING ** 2 * own.reduce((all, point) => all + this.#table.at(point) ** 2, 0);
    const squares = part.squares > rounding ? part.squares : 0;
    if (used.variance === 0) return Number(squares <= ROUNDING * this.#table.squares);
    const ofPart = this.#ofRun?.isUnseen ? undefined : this.#byReplication(partIn);
    if (ofPart?.variance === 0) return chanceOfEqual(squares, this.#ofReplications!.length - 1);
    const repeats = this.#ofRun ? this.#repeatsOf(own) : 1;
    const p = ofPart
      ? fisherTail(squares / part.freedom / ofPart.variance, ofPart.rank, ofPart.freedom)
      : fisherTail((squares * repeats) / part.freedom / used.variance, part.freedom, used.freedom);
    return Math.max(this.#leastP, p);
  }
}
