import { studentQuantile } from '../statistics/student.ts';
import { studentTails } from '../statistics/tests.ts';
import type { InputIndices, Interval, PairIndices } from './analysis.ts';
import { MOST_CHANCE } from './chance.ts';
import { areEqual, momentsOf } from './moments.ts';
import { bootstrapIntervals, randomGroups } from './resample.ts';

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
 * The chance in values that are means of replications. Chance is independent between points. Rows of one point have the
 * same runs, so they have the same chance: with lists or whole numbers, A and AB1 are often one point.
 */
export interface RowChance {
  /** The mean variance of chance in a value. */
  variance: number;
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
  /** The p-value of each first-order index: the index of an input without effect is 0, also if there is chance. */
  firstTests: (number | undefined)[];
}

/**
 * Each scramble gets its own estimate if there are several scrambles, and each of them has at least this many base
 * points.
 */
const ENOUGH = 32;
/** The maximum number of groups of base points in a bootstrap. More groups would take longer and change little. */
const MOST_PARTS = 500;

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
 * @param values - the value of each row; NaN if it has none
 * @param chance - if it is given, the indices are those of the function without chance
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
  const none = { indices: [], used: whole.length, scrambles: 0, firstTests: [] };
  if (whole.length < 2) return none;
  const ofScramble = Array.from({ length: scrambles }, (_, at) =>
    whole.filter((one) => one % scrambles === at),
  );
  const areEnough = scrambles > 1 && ofScramble.every(({ length }) => length >= ENOUGH);
  const [numbers, intervals] = areEnough
    ? overScrambles(ofScramble.map((blocks) => sums.estimates(sums.of(blocks))))
    : byBootstrap(sums, whole);
  if (!numbers.every(Number.isFinite)) return none;

  function overScrambles(estimates: number[][]): [number[], (Interval | undefined)[]] {
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

  function byBootstrap(all: BlockSums, blocks: number[]): [number[], (Interval | undefined)[]] {
    const parts = Math.min(blocks.length, MOST_PARTS);
    const groupOf = randomGroups(blocks.length, parts);
    const groups = Array.from({ length: parts }, (): number[] => []);
    for (const [at, block] of blocks.entries()) groups[groupOf[at]!]!.push(block);
    const partSums = groups.map((group) => all.of(group));
    const statistics = (times: Uint32Array): number[] => {
      const total = new Float64Array(partSums[0]!.length);
      for (const [part, own] of partSums.entries()) {
        const often = times[part]!;
        if (often > 0) for (let at = 0; at < total.length; at += 1) total[at]! += often * own[at]!;
      }
      return all.estimates(total);
    };
    return [all.estimates(all.of(blocks)), bootstrapIntervals(parts, statistics, confidence)];
  }

  const k = inputs.length;
  const pairs = secondOrder ? pairsOf(k) : [];
  return {
    indices: inputs.map((input, at) => ({
      input,
      first: numbers[at]!,
      ...(intervals[at] && { firstInterval: intervals[at] }),
      total: numbers[k + at]!,
      ...(intervals[k + at] && { totalInterval: intervals[k + at]! }),
    })),
    ...(secondOrder && {
      secondOrder: pairs.map(([a, b], at) => ({
        inputs: [inputs[a]!, inputs[b]!],
        value: numbers[2 * k + at]!,
        ...(intervals[2 * k + at] && { interval: intervals[2 * k + at]! }),
      })),
    }),
    used: whole.length,
    scrambles: areEnough ? scrambles : 0,
    firstTests: inputs.map((_, at) => firstTest(numbers[at]!, intervals[at])),
  };

  /** The test that an index is above 0, from the standard error that its interval has. */
  function firstTest(value: number, interval: Interval | undefined): number | undefined {
    if (!interval) return undefined;
    const freedom = areEnough ? scrambles - 1 : whole.length - 1;
    const error = (interval[1] - interval[0]) / 2 / studentQuantile((1 + confidence) / 2, freedom);
    if (!(error > 0)) return Number(value <= 0);
    return value > 0 ? studentTails(value / error, freedom) : 1;
  }
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

/**
 * Sums over base points, from which the indices are computed. The mean of all values is subtracted first, so that the
 * estimates lose less precision.
 */
class BlockSums {
  readonly #layout: SaltelliLayout;
  readonly #values: Float64Array;
  readonly #width: number;
  readonly #pairs: [number, number][];
  readonly #mean: number;
  readonly #points: Int32Array | undefined;
  /** The share of chance in the variance of the values; 0 if nothing is corrected. */
  readonly #chance: number = 0;

  constructor(layout: SaltelliLayout, values: Float64Array, chance?: RowChance) {
    this.#layout = layout;
    this.#values = values;
    this.#width = 2 + layout.inputs.length * (layout.secondOrder ? 2 : 1);
    this.#pairs = layout.secondOrder ? pairsOf(layout.inputs.length) : [];
    let [sum, count] = [0, 0];
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      sum += value;
      count += 1;
    }
    this.#mean = sum / count;
    if (!chance) return;
    this.#points = chance.points;
    const share = chance.variance / varianceOf(this.of(this.wholeBlocks()));
    if (share <= MOST_CHANCE) this.#chance = share;
  }

  /** The numbers of the blocks in which every row has a value. */
  wholeBlocks(): number[] {
    const { points, scrambles } = this.#layout;
    const width = this.#width;
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
   * (first-order and total index), then a sum for each pair. For each of these indices there follows how often the
   * variance of chance is in its sum: a product of two rows contains it if the rows are one point, and the square of a
   * difference if they are different points.
   */
  of(blocks: readonly number[]): Float64Array {
    const k = this.#layout.inputs.length;
    const indices = 2 * k + this.#pairs.length;
    const sums = new Float64Array(4 + 2 * indices);
    const chances = sums.subarray(4 + indices);
    const points = this.#points;
    for (const block of blocks) {
      const start = block * this.#width;
      const at = (row: number): number => this.#values[start + row]! - this.#mean;
      const isOne = (row: number, other: number): number =>
        points && points[start + row] === points[start + other] ? 1 : 0;
      const last = this.#width - 1;
      const [a, b] = [at(0), at(last)];
      sums[0]! += 1;
      sums[1]! += a + b;
      sums[2]! += a * a + b * b;
      sums[3]! += a * b;
      for (let input = 0; input < k; input += 1) {
        const ab = at(1 + input);
        sums[4 + input]! += b * (ab - a);
        sums[4 + k + input]! += (a - ab) * (a - ab);
        chances[input]! += isOne(last, 1 + input) - isOne(last, 0);
        chances[k + input]! += 1 - isOne(0, 1 + input);
      }
      for (let pair = 0; pair < this.#pairs.length; pair += 1) {
        const [one, other] = this.#pairs[pair]!;
        sums[4 + 2 * k + pair]! += at(1 + k + one) * at(1 + other);
        chances[2 * k + pair]! += isOne(1 + k + one, 1 + other) - isOne(0, last);
      }
    }
    return sums;
  }

  /**
   * The indices from sums: first-order indices, then total indices, then the indices of pairs. A single NaN if the
   * output is constant.
   */
  estimates(sums: Float64Array): number[] {
    const k = this.#layout.inputs.length;
    const n = sums[0]!;
    const variance = varianceOf(sums);
    if (areEqual({ mean: this.#mean, variance })) return [NaN];
    const chances = sums.subarray(4 + 2 * k + this.#pairs.length);
    const share = (sum: number, at: number): number =>
      (sum / n / variance - (this.#chance * chances[at]!) / n) / (1 - this.#chance);
    const first = Array.from({ length: k }, (_, at) => share(sums[4 + at]!, at));
    const total = Array.from({ length: k }, (_, at) => share(sums[4 + k + at]! / 2, k + at));
    const second = this.#pairs.map(
      ([a, b], at) => share(sums[4 + 2 * k + at]! - sums[3]!, 2 * k + at) - first[a]! - first[b]!,
    );
    return [...first, ...total, ...second];
  }
}

/** The variance of A and B, from the sums of blocks. */
function varianceOf(sums: Float64Array): number {
  const rows = 2 * sums[0]!;
  return sums[2]! / rows - (sums[1]! / rows) ** 2;
}
