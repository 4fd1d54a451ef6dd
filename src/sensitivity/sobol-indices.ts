import { studentQuantile } from '../statistics/student.ts';
import { studentTails } from '../statistics/tests.ts';
import type { InputIndices, Interval, PairIndices } from './analysis.ts';
import { MOST_CHANCE } from './chance.ts';
import { areEqual, momentsOf } from './moments.ts';
import type { PointChance } from './point-values.ts';
import { bootstrapIntervals, randomGroups, widened } from './resample.ts';

/**
 * The layout of the values of a Saltelli design. Each base point of each scramble has a block of rows: A, AB1 … ABk,
 * with second order also BA1 … BAk, then B. AB1 is A with the first input of B.
 */
export interface SaltelliLayout {
  inputs: readonly string[];
  /** The number of base points of each scramble. */
  points: number;
  scrambles: number;
  secondOrder: boolean;
}

/**
 * The chance in the values of rows. Chance is independent between points. Rows of one point have the same runs, so they
 * have the same chance: with lists or whole numbers, A and AB1 are often one point, and so are rows of several base
 * points.
 */
export interface RowChance extends PointChance {
  /** The point of each row. */
  points: Int32Array;
}

export interface SobolIndices {
  indices: InputIndices[];
  secondOrder?: PairIndices[];
  /** Number of base points of all scrambles that have a value in each of their rows. */
  used: number;
  /**
   * Number of scrambles from which the intervals were computed; 0 if the intervals are from a bootstrap over base
   * points.
   */
  scrambles: number;
  /** The p-value of each first-order index. It also holds if chance is unknown: chance does not move an index of 0. */
  firstTests: (number | undefined)[];
  /** Whether there is so much chance that the indices are not those of the function without chance. */
  isHidden: boolean;
}

/**
 * Each scramble gets its own estimate if there are several scrambles, and each of them has at least this many base
 * points.
 */
const ENOUGH = 32;
/** The maximum number of groups of base points in a bootstrap. More groups would take longer and change little. */
const MOST_GROUPS = 500;

/**
 * Sobol' indices. First order: A. Saltelli et al., "Variance based sensitivity analysis of model output. Design and
 * estimator for the total sensitivity index", Computer Physics Communications 181 (2010) 259-270, table 2 (b). Total:
 * M. J. W. Jansen, "Analysis of variance designs for model output", Computer Physics Communications 117 (1999) 35-43,
 * as in table 2 (f) of Saltelli. Second order: A. Saltelli, "Making best use of model evaluations to compute
 * sensitivity indices", Computer Physics Communications 145 (2002) 280-297, theorem 2.
 *
 * Each index is the mean over independent scrambles, with Student's interval. With a single scramble, or with few base
 * points in a scramble, the index comes from all base points together, with a bootstrap interval over them. A base
 * point that lacks a value is left out.
 *
 * Both kinds of interval take scrambles or base points as independent. If they share points, they share the chance of
 * these points, so the intervals are made wider by it.
 *
 * @param values - the value of each row; NaN if it has none
 * @param chance - if it is given and estimated, the indices are those of the function without chance
 */
export function sobolIndices(
  layout: SaltelliLayout,
  values: Float64Array,
  confidence: number,
  chance?: RowChance,
): SobolIndices {
  const { inputs, scrambles, secondOrder } = layout;
  const sums = new BlockSums(layout, values, chance);
  const whole = sums.wholeBlocks();
  const none = { indices: [], used: whole.length, scrambles: 0, firstTests: [], isHidden: false };
  if (whole.length < 2) return none;
  const ofScramble = Array.from({ length: scrambles }, (_, at) =>
    whole.filter((one) => one % scrambles === at),
  );
  const usesScrambles = scrambles > 1 && ofScramble.every(({ length }) => length >= ENOUGH);
  const units = usesScrambles ? ofScramble : groupsOf(whole);
  const [numbers, ofUnits] = usesScrambles ? overScrambles() : byBootstrap();
  if (!numbers.every(Number.isFinite)) return none;
  const intervals = chance ? withChance(chance) : ofUnits;
  const k = inputs.length;
  return {
    indices: inputs.map((input, at) => ({
      input,
      first: numbers[at]!,
      ...(intervals[at] && { firstInterval: intervals[at] }),
      total: numbers[k + at]!,
      ...(intervals[k + at] && { totalInterval: intervals[k + at]! }),
    })),
    ...(secondOrder && {
      secondOrder: sums.pairs.map(([a, b], at) => ({
        inputs: [inputs[a]!, inputs[b]!],
        value: numbers[2 * k + at]!,
        ...(intervals[2 * k + at] && { interval: intervals[2 * k + at]! }),
      })),
    }),
    used: whole.length,
    scrambles: usesScrambles ? scrambles : 0,
    firstTests: inputs.map((_, at) => firstTest(numbers[at]!, intervals[at])),
    isHidden: sums.isHidden,
  };

  function overScrambles(): [number[], (Interval | undefined)[]] {
    const estimates = units.map((blocks) => sums.estimates(sums.of(blocks)));
    const t = studentQuantile((1 + confidence) / 2, scrambles - 1);
    const found = estimates[0]!.map((_, at) => momentsOf(estimates.map((one) => one[at]!)));
    return [
      found.map(({ mean }) => mean),
      found.map(({ mean, variance }) => {
        const half = t * Math.sqrt(variance / scrambles);
        return [mean - half, mean + half];
      }),
    ];
  }

  function byBootstrap(): [number[], (Interval | undefined)[]] {
    const ofGroups = units.map((group) => sums.of(group));
    const statistics = (times: Uint32Array): number[] => {
      const total = new Float64Array(ofGroups[0]!.length);
      for (const [group, own] of ofGroups.entries()) {
        const often = times[group]!;
        if (often > 0) for (let at = 0; at < total.length; at += 1) total[at]! += often * own[at]!;
      }
      return sums.estimates(total);
    };
    return [sums.estimates(sums.of(whole)), bootstrapIntervals(units.length, statistics, confidence)];
  }

  /**
   * Makes the intervals wider by the chance that they do not show. An index is a ratio. If chance is large, an error of
   * its denominator counts more the larger the index is, so the upper end has the chance that an index there would have:
   * E. C. Fieller, "Some problems in interval estimation", Journal of the Royal Statistical Society B 16 (1954) 175-185.
   */
  function withChance(known: RowChance): (Interval | undefined)[] {
    const t = studentQuantile((1 + confidence) / 2, known.freedom);
    /** The intervals with the chance that is not shown if the indices have these values. */
    const widenedFor = (indices: readonly number[]): (Interval | undefined)[] => {
      const notShown = chanceNotShown(layout, sums, units, indices, known);
      return ofUnits.map((own, at) => own && widened(own, numbers[at]!, t * Math.sqrt(notShown[at]!)));
    };
    // first at the indices, then at the upper ends of the intervals that this gives
    const near = widenedFor(numbers);
    const far = widenedFor(near.map((own, at) => Math.min(1, own?.[1] ?? numbers[at]!)));
    return near.map((own, at) => own && [own[0], Math.max(own[1], far[at]![1])]);
  }

  /** The test that an index is above 0, from the standard error that its interval has. */
  function firstTest(value: number, interval: Interval | undefined): number | undefined {
    if (!interval) return undefined;
    const freedom = usesScrambles ? scrambles - 1 : whole.length - 1;
    const error = (interval[1] - interval[0]) / 2 / studentQuantile((1 + confidence) / 2, freedom);
    if (!(error > 0)) return Number(value <= 0);
    return value > 0 ? studentTails(value / error, freedom) : 1;
  }
}

/** Divides blocks into random groups for a bootstrap. */
function groupsOf(blocks: readonly number[]): number[][] {
  const count = Math.min(blocks.length, MOST_GROUPS);
  const groupOf = randomGroups(blocks.length, count);
  const groups = Array.from({ length: count }, (): number[] => []);
  for (const [at, block] of blocks.entries()) groups[groupOf[at]!]!.push(block);
  return groups;
}

/**
 * The indices without intervals, from the given blocks of base points: first-order indices, then total indices, then
 * the indices of pairs.
 */
export function sobolEstimates(
  layout: SaltelliLayout,
  values: Float64Array,
  blocks: readonly number[],
): number[] {
  const sums = new BlockSums(layout, values);
  return sums.estimates(sums.of(blocks));
}

/** All pairs of `count` inputs, by index. The first index of a pair is lower than the second. */
export function pairsOf(count: number): [number, number][] {
  return Array.from({ length: count }, (_, a) =>
    Array.from({ length: count - a - 1 }, (_, i): [number, number] => [a, a + 1 + i]),
  ).flat();
}

/** The places of sums in the result of `BlockSums.of`. The sums for indices follow from INDICES on. */
const [BLOCKS, VALUES, SQUARES, PRODUCTS, INDICES] = [0, 1, 2, 3, 4] as const;

/**
 * Sums over base points, from which the indices are computed. The mean of all values is subtracted first, so that the
 * estimates lose less precision.
 */
class BlockSums {
  readonly #layout: SaltelliLayout;
  readonly #values: Float64Array;
  /** The number of rows of a block. */
  readonly width: number;
  readonly pairs: [number, number][];
  readonly #mean: number;
  /** The place of the sums of chance, in the result of `of`. */
  readonly #chancePlace: number;
  readonly #points: Int32Array | undefined;
  /** The variance of chance at each point, if it is removed. */
  readonly #variances: Float64Array | undefined;
  /** The variance of chance in the mean of all rows A and B. */
  readonly #ofMean: number = 0;
  /** Whether there is too much chance to remove it. */
  readonly isHidden: boolean = false;

  constructor(layout: SaltelliLayout, values: Float64Array, chance?: RowChance) {
    this.#layout = layout;
    this.#values = values;
    this.width = 2 + layout.inputs.length * (layout.secondOrder ? 2 : 1);
    this.pairs = layout.secondOrder ? pairsOf(layout.inputs.length) : [];
    this.#chancePlace = INDICES + 2 * layout.inputs.length + this.pairs.length;
    let [sum, count] = [0, 0];
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      sum += value;
      count += 1;
    }
    this.#mean = sum / count;
    if (chance?.kind !== 'estimated') return;
    const { points, variances } = chance;
    this.#points = points;
    this.#variances = variances;
    const whole = this.wholeBlocks();
    const rows = 2 * whole.length;
    /** How many of these rows each point has. */
    const often = new Map<number, number>();
    for (const block of whole)
      for (const row of [block * this.width, (block + 1) * this.width - 1])
        often.set(points[row]!, (often.get(points[row]!) ?? 0) + 1);
    for (const [point, times] of often) this.#ofMean += (times / rows) ** 2 * variances[point]!;
    const sums = this.of(whole);
    if (this.varianceOf(sums) > (1 - MOST_CHANCE) * varianceOfRows(sums)) return;
    this.isHidden = true;
    this.#variances = undefined;
    this.#ofMean = 0;
  }

  /** The value of a row, minus the mean of all values. */
  at(row: number): number {
    return this.#values[row]! - this.#mean;
  }

  /** The numbers of the blocks in which every row has a value. */
  wholeBlocks(): number[] {
    const { points, scrambles } = this.#layout;
    const { width } = this;
    const whole: number[] = [];
    for (let block = 0; block < points * scrambles; block += 1) {
      let isWhole = true;
      for (let row = block * width; row < (block + 1) * width; row += 1)
        if (Number.isNaN(this.#values[row]!)) isWhole = false;
      if (isWhole) whole.push(block);
    }
    return whole;
  }

  /**
   * The sums of blocks: their number, then the sums of A + B, A² + B² and A × B, then two sums for each input
   * (first-order and total index), then a sum for each pair. Then follows what chance adds to the sum of A² + B², and to
   * the sum of each index: it adds its variance to a product of two rows if the rows are one point, and to the square of
   * a difference if they are different points.
   */
  of(blocks: readonly number[]): Float64Array {
    const k = this.#layout.inputs.length;
    const sums = new Float64Array(2 * this.#chancePlace + 1 - INDICES);
    const ofIndices = sums.subarray(INDICES);
    const chances = sums.subarray(this.#chancePlace + 1);
    const [points, variances] = [this.#points, this.#variances];
    for (const block of blocks) {
      const start = block * this.width;
      const at = (row: number): number => this.at(start + row);
      const chanceAt = (row: number): number => variances?.[points![start + row]!] ?? 0;
      /** What chance adds to the product of two rows. */
      const common = (row: number, other: number): number =>
        points && points[start + row] === points[start + other] ? chanceAt(row) : 0;
      const last = this.width - 1;
      const [a, b] = [at(0), at(last)];
      sums[BLOCKS]! += 1;
      sums[VALUES]! += a + b;
      sums[SQUARES]! += a * a + b * b;
      sums[PRODUCTS]! += a * b;
      sums[this.#chancePlace]! += chanceAt(0) + chanceAt(last);
      for (let input = 0; input < k; input += 1) {
        const ab = at(1 + input);
        ofIndices[input]! += b * (ab - a);
        ofIndices[k + input]! += (a - ab) ** 2 / 2;
        chances[input]! += common(last, 1 + input) - common(last, 0);
        chances[k + input]! += (chanceAt(0) + chanceAt(1 + input)) / 2 - common(0, 1 + input);
      }
      for (let pair = 0; pair < this.pairs.length; pair += 1) {
        const [one, other] = this.pairs[pair]!;
        ofIndices[2 * k + pair]! += at(1 + k + one) * at(1 + other);
        chances[2 * k + pair]! += common(1 + k + one, 1 + other) - common(0, last);
      }
    }
    return sums;
  }

  /** The variance of A and B without chance, from the sums of blocks. */
  varianceOf(sums: Float64Array): number {
    const ofRows = sums[this.#chancePlace]! / (2 * sums[BLOCKS]!);
    return varianceOfRows(sums) - (ofRows - this.#ofMean);
  }

  /**
   * The indices from sums: first-order indices, then total indices, then the indices of pairs. A single NaN if the
   * output is constant.
   */
  estimates(sums: Float64Array): number[] {
    const k = this.#layout.inputs.length;
    const n = sums[BLOCKS]!;
    if (areEqual({ mean: this.#mean, variance: varianceOfRows(sums) })) return [NaN];
    const variance = this.varianceOf(sums);
    const ofIndices = sums.subarray(INDICES);
    const chances = sums.subarray(this.#chancePlace + 1);
    const share = (sum: number, at: number): number => (sum - chances[at]!) / n / variance;
    const first = Array.from({ length: k }, (_, at) => share(ofIndices[at]!, at));
    const total = Array.from({ length: k }, (_, at) => share(ofIndices[k + at]!, k + at));
    const second = this.pairs.map(
      ([a, b], at) => share(ofIndices[2 * k + at]! - sums[PRODUCTS]!, 2 * k + at) - first[a]! - first[b]!,
    );
    return [...first, ...total, ...second];
  }
}

/** The variance of A and B, from the sums of blocks. */
function varianceOfRows(sums: Float64Array): number {
  const rows = 2 * sums[BLOCKS]!;
  return sums[SQUARES]! / rows - (sums[VALUES]! / rows) ** 2;
}

/**
 * For each index, the variance of chance that the differences of units do not show, because units share points, or because
 * no value shows it. A unit is a scramble, or a group of base points in a bootstrap.
 *
 * The index changes with the value of each point at a rate (its derivative), and the chance of points is independent. So
 * chance has the variance Σ rate² × variance over points in the index. The differences of units show Σ Σ rate² ×
 * variance over units and points, with the rate of the point in the unit.
 *
 * @param numbers - the indices
 */
function chanceNotShown(
  { inputs }: SaltelliLayout,
  sums: BlockSums,
  units: readonly (readonly number[])[],
  numbers: readonly number[],
  { points, variances, ofVariances, kind }: RowChance,
): number[] {
  const { width, pairs } = sums;
  const k = inputs.length;
  if (kind !== 'unseen' && !areShared(units, width, points)) return numbers.map(() => 0);
  const all = sums.of(units.flat());
  const scale = 1 / (all[BLOCKS]! * sums.varianceOf(all));
  const mean = all[VALUES]! / (2 * all[BLOCKS]!);
  const rates = new Rates(variances);
  const removed = ofVariances && !sums.isHidden ? new Rates(ofVariances) : undefined;
  return numbers.map((index, at) => {
    for (const unit of units) {
      for (const block of unit) {
        const start = block * width;
        const last = start + width - 1;
        /** The rate at which the index changes with the value of a row. */
        const add = (row: number, rate: number): void => rates.add(points[row]!, scale * rate);
        /** The rate at which the index changes with the variance of chance that two rows have in common. */
        const remove = (row: number, other: number, rate: number): void => {
          if (points[row] === points[other]) removed?.add(points[row]!, -scale * rate);
        };
        const addFirst = (input: number, sign: number): void => {
          const ab = start + 1 + input;
          add(last, sign * (sums.at(ab) - sums.at(start)));
          add(ab, sign * sums.at(last));
          add(start, -sign * sums.at(last));
          remove(last, ab, sign);
          remove(last, start, -sign);
        };
        const addTotal = (input: number): void => {
          const ab = start + 1 + input;
          const difference = sums.at(start) - sums.at(ab);
          add(start, difference);
          add(ab, -difference);
          remove(start, start, 1 / 2);
          remove(ab, ab, 1 / 2);
          remove(start, ab, -1);
        };
        const addPair = ([one, other]: [number, number]): void => {
          const [ba, ab] = [start + 1 + k + one, start + 1 + other];
          add(ba, sums.at(ab));
          add(ab, sums.at(ba));
          add(start, -sums.at(last));
          add(last, -sums.at(start));
          remove(ba, ab, 1);
          remove(start, last, -1);
          addFirst(one, -1);
          addFirst(other, -1);
        };
        // the variance of A and B is the denominator of each index
        for (const row of [start, last]) {
          add(row, -index * (sums.at(row) - mean));
          remove(row, row, -index / 2);
        }
        if (at < k) addFirst(at, 1);
        else if (at < 2 * k) addTotal(at - k);
        else addPair(pairs[at - 2 * k]!);
      }
      rates.endUnit();
      removed?.endUnit();
    }
    const [ofValues, ofVariance] = [rates, removed].map((one) => one?.end());
    if (kind === 'unseen') return ofValues!.whole;
    // the differences of units show the rest
    return [ofValues, ofVariance].reduce(
      (sum, one) => sum + (one ? Math.max(0, one.whole - one.inUnits) : 0),
      0,
    );
  });
}

/** The rates at which a number changes with independent values of points, summed over units and over all. */
class Rates {
  readonly #variances: Float64Array;
  /** The rate of each point in all units, and in the current one. */
  readonly #all: Float64Array;
  readonly #own: Float64Array;
  /** The points with a rate in the current unit. */
  readonly #touched = new Set<number>();
  #inUnits = 0;

  /** @param variances - the variance of the value of each point */
  constructor(variances: Float64Array) {
    this.#variances = variances;
    this.#all = new Float64Array(variances.length);
    this.#own = new Float64Array(variances.length);
  }

  add(point: number, rate: number): void {
    this.#own[point]! += rate;
    this.#touched.add(point);
  }

  endUnit(): void {
    for (const point of this.#touched) {
      this.#all[point]! += this.#own[point]!;
      this.#inUnits += this.#own[point]! ** 2 * this.#variances[point]!;
      this.#own[point] = 0;
    }
    this.#touched.clear();
  }

  /** The variance of the number, and the variance that it would have if the values of units were independent. */
  end(): { whole: number; inUnits: number } {
    const whole = this.#all.reduce((sum, rate, point) => sum + rate ** 2 * this.#variances[point]!, 0);
    const inUnits = this.#inUnits;
    this.#all.fill(0);
    this.#inUnits = 0;
    return { whole, inUnits };
  }
}

/** Whether a point is in several units. */
function areShared(units: readonly (readonly number[])[], width: number, points: Int32Array): boolean {
  const unitOf = new Map<number, number>();
  return units.some((blocks, unit) =>
    blocks.some((block) => {
      for (let row = block * width; row < (block + 1) * width; row += 1) {
        const before = unitOf.get(points[row]!);
        if (before !== undefined && before !== unit) return true;
        unitOf.set(points[row]!, unit);
      }
      return false;
    }),
  );
}
