import { type InputType, isNumericType } from '../api/index.ts';
import { drawnRow, type SpreadInput } from '../campaign/designs/spread-input.ts';
import type { MorrisRow } from '../campaign/sampling/morris.ts';
import { normalCdf } from '../statistics/normal.ts';
import { studentQuantile } from '../statistics/student.ts';
import type { InputIndices, Interval } from './analysis.ts';
import { momentsOf } from './moments.ts';
import { pointChance, type PointValues } from './point-values.ts';
import { commonReplications, valuesAt } from './replicates.ts';
import { bootstrapIntervals, widened } from './resample.ts';

/** The steps of trajectories. Each array has one number per row of the design. */
export interface Trajectories {
  inputs: readonly string[];
  /** The index of the input that changes from the row before; -1 in the first row of a trajectory. */
  changed: Int32Array;
  /** The signed change of the input, as a share of its range. It is not a number if the input has only one value. */
  steps: Float64Array;
}

/**
 * The trajectories of a design.
 *
 * @param typeOf - the type of an input, by its name
 */
export function trajectoriesOf(
  inputs: readonly SpreadInput[],
  levels: readonly MorrisRow[],
  typeOf: (name: string) => InputType,
): Trajectories {
  const placesOf = inputs.map((input) => placesIn(input, typeOf(input.name)));
  const rows = levels.map(({ unit }) => drawnRow(inputs, unit));
  return {
    inputs: inputs.map(({ name }) => name),
    changed: Int32Array.from(levels, ({ changed }) => changed ?? -1),
    steps: Float64Array.from(levels, ({ changed, step }, row) => {
      const placeOf = changed === null ? undefined : placesOf[changed];
      if (!placeOf) return step;
      return placeOf(rows[row]![changed!]!) - placeOf(rows[row - 1]![changed!]!);
    }),
  };
}

/**
 * Returns a function that gives the place of a value in the range of an input, from 0 to 1. The values of a list have
 * equal distances. Whole numbers and lists need this function, because the nearest value to a level may be far from the
 * level. Undefined for other inputs: their places are the levels.
 */
function placesIn(
  { isWhole, distribution }: SpreadInput,
  type: InputType,
): ((value: string) => number) | undefined {
  if (distribution.kind === 'choice') {
    const values = [...new Set(distribution.values)];
    if (isNumericType(type)) values.sort((a, b) => Number(a) - Number(b));
    return (value) => values.indexOf(value) / (values.length - 1);
  }
  if (!isWhole || distribution.kind !== 'uniform') return undefined;
  const [least, most] = [Math.ceil(distribution.min), Math.floor(distribution.max)];
  return (value) => (Number(value) - least) / (most - least);
}

/** The elementary effects of complete trajectories. The effects of a trajectory are adjacent. */
export interface ElementaryEffects {
  effects: Float64Array;
  /** Number of complete trajectories. */
  trajectories: number;
  /** Number of trajectories that are left out, because one of their rows has no value. */
  leftOut: number;
}

/**
 * The elementary effects of inputs: M. D. Morris, "Factorial sampling plans for preliminary computational experiments",
 * Technometrics 33 (1991) 161-174, equation 1. A trajectory without a value in one of its rows is left out. A step that
 * does not change the input has no effect: weights of a list may give one value at two levels.
 *
 * @param values - the value of each row; NaN if it has none
 */
export function elementaryEffects(
  { inputs, changed, steps }: Trajectories,
  values: Float64Array,
): ElementaryEffects {
  const rows = inputs.length + 1;
  const all = values.length / rows;
  const effects = new Float64Array(all * inputs.length);
  let whole = 0;
  for (let trajectory = 0; trajectory < all; trajectory += 1) {
    const start = trajectory * rows;
    if (values.subarray(start, start + rows).some(Number.isNaN)) continue;
    for (let row = start + 1; row < start + rows; row += 1) {
      const difference = values[row]! - values[row - 1]!;
      effects[whole * inputs.length + changed[row]!] = difference === 0 ? 0 : difference / steps[row]!;
    }
    whole += 1;
  }
  return {
    effects: effects.subarray(0, whole * inputs.length),
    trajectories: whole,
    leftOut: all - whole,
  };
}

/**
 * The mean μ and the standard deviation σ of the effects (Morris, section 4), and μ*, the mean of their absolute
 * values: F. Campolongo, J. Cariboni and A. Saltelli, "An effective screening design for sensitivity analysis of large
 * models", Environmental Modelling & Software 22 (2007) 1509-1518, section 3. The interval of μ* comes from a bootstrap
 * over trajectories. If the variance of chance is known, μ*, its interval and σ are those without chance.
 *
 * The bootstrap takes chance as independent between trajectories. Trajectories that meet at a point share its runs, so
 * the interval is made wider by the chance that they share.
 *
 * @param chance - the chance in the effects of each input
 */
export function morrisIndices(
  inputs: readonly string[],
  { effects, trajectories }: ElementaryEffects,
  confidence: number,
  chance: readonly EffectChance[] = inputs.map(() => ({ ofEffect: 0, notShown: 0 })),
): InputIndices[] {
  const k = inputs.length;
  if (trajectories === 0) return [];
  const meanSizes = (times: Uint32Array): number[] => {
    const sums = new Array<number>(k).fill(0);
    for (let trajectory = 0; trajectory < trajectories; trajectory += 1) {
      const often = times[trajectory]!;
      if (often === 0) continue;
      for (let input = 0; input < k; input += 1)
        sums[input]! += often * Math.abs(effects[trajectory * k + input]!);
    }
    return sums.map((sum) => sum / trajectories);
  };
  const intervals = trajectories > 1 ? bootstrapIntervals(trajectories, meanSizes, confidence) : [];
  const t = studentQuantile((1 + confidence) / 2, Math.max(1, trajectories - 1));
  const muStars = meanSizes(new Uint32Array(trajectories).fill(1));
  return inputs.map((input, at) => {
    const own = Float64Array.from({ length: trajectories }, (_, one) => effects[one * k + at]!);
    const { mean, variance } = momentsOf(own);
    const interval = intervals[at];
    const { ofEffect, notShown } = chance[at]!;
    const deviation = Math.sqrt(ofEffect);
    const muStar = muStars[at]!;
    const withShared = interval && widened(interval, muStar, t * Math.sqrt(notShown));
    const muStarInterval = withShared && intervalWithoutChance(withShared, own, deviation);
    return {
      input,
      mu: mean,
      muStar: withoutChance(muStar, deviation),
      ...(muStarInterval && { muStarInterval }),
      ...(trajectories > 1 && { sigma: Math.sqrt(Math.max(0, variance - ofEffect)) }),
    };
  });
}

function intervalWithoutChance([low, high]: Interval, effects: Float64Array, deviation: number): Interval {
  const lowest = Math.max(0, low - excess(effects, deviation));
  return [Math.min(withoutChance(low, deviation), lowest), withoutChance(high, deviation)];
}

/**
 * The size of an effect whose absolute value has this mean, if chance with a normal distribution is added to the effect:
 * the mean of a folded normal distribution, solved for its location (F. C. Leone, L. S. Nelson and R. B. Nottingham,
 * "The folded normal distribution", Technometrics 3 (1961) 543-550). 0 if chance alone has a larger mean.
 */
function withoutChance(mean: number, deviation: number): number {
  if (deviation === 0) return mean;
  const folded = (size: number): number => {
    const z = size / deviation;
    return deviation * Math.sqrt(2 / Math.PI) * Math.exp((-z * z) / 2) + size * (1 - 2 * normalCdf(-z));
  };
  if (mean <= folded(0)) return 0;
  // the mean is at least the size, and at most the size plus the mean of chance alone
  let [low, high] = [Math.max(0, mean - folded(0)), mean];
  for (let halving = 0; halving < 60; halving += 1) {
    const middle = (low + high) / 2;
    if (folded(middle) < mean) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * What chance adds to the mean of absolute effects, if the effects near 0 are 0. {@link withoutChance} takes all effects
 * as equally large. If only some of them are 0, chance adds more, so the lower end of an interval allows for both.
 *
 * By the heat equation, the mean of the absolute value grows with the variance of chance as fast as the density at 0. An
 * effect of 0 has a density that falls with the root of the variance. The density at 0 is estimated from the effects with
 * a normal kernel that is as wide as chance.
 */
function excess(effects: Float64Array, deviation: number): number {
  if (deviation === 0) return 0;
  const near = effects.reduce((sum, effect) => sum + Math.exp(-((effect / deviation) ** 2) / 2), 0);
  return ((2 * deviation) / Math.sqrt(Math.PI)) * (near / effects.length);
}

/** The chance in the elementary effects of an input. */
export interface EffectChance {
  /** The variance of chance in an effect: the mean over its steps; 0 if it is unknown. */
  ofEffect: number;
  /**
   * The variance of chance in the mean of the absolute effects that the differences of trajectories do not show: effects
   * that share a point share its chance.
   */
  notShown: number;
}

/**
 * The chance in the elementary effects of each input. With common random numbers, it is the variance of the differences
 * of the same replications.
 *
 * @param points - the point of each row; −1 for an unknown point
 */
export function chanceOfEffects(
  { inputs, changed, steps }: Trajectories,
  points: Int32Array,
  output: PointValues,
): EffectChance[] {
  const { means } = output;
  const sums = inputs.map(() => ({ sum: 0, count: 0, weights: new Map<number, number>() }));
  const chance = pointChance(output);
  /** The variance of chance in a sum of weighted means of points. */
  const varianceOf = (weights: ReadonlyMap<number, number>): number => {
    if (!chance) return varianceInPairs(weights, output);
    return [...weights].reduce((sum, [point, weight]) => sum + weight ** 2 * chance.variances[point]!, 0);
  };
  for (let row = 1; row < points.length; row += 1) {
    const [input, from, to, step] = [changed[row]!, points[row - 1]!, points[row]!, steps[row]!];
    if (input < 0 || from < 0 || to < 0 || !Number.isFinite(step)) continue;
    const difference = means[to]! - means[from]!;
    if (Number.isNaN(difference)) continue;
    const own = sums[input]!;
    own.count += 1;
    // a step that stays at its point has no chance
    if (from === to) continue;
    const unit = 1 / step;
    own.sum += varianceOf(
      new Map([
        [from, -unit],
        [to, unit],
      ]),
    );
    const sign = difference * step < 0 ? -unit : unit;
    own.weights.set(to, (own.weights.get(to) ?? 0) + sign);
    own.weights.set(from, (own.weights.get(from) ?? 0) - sign);
  }
  // with common random numbers, `varianceInPairs` estimates it
  const kind = chance?.kind ?? 'estimated';
  return sums.map(({ sum, count, weights }) => {
    if (count === 0) return { ofEffect: 0, notShown: 0 };
    const ofMean = varianceOf(weights) / count ** 2;
    return {
      ofEffect: kind === 'estimated' ? sum / count : 0,
      notShown: kind === 'unseen' ? ofMean : Math.max(0, ofMean - sum / count ** 2),
    };
  });
}

/**
 * The variance of chance in a sum of weighted means with common random numbers; 0 without them, and if points have fewer
 * than two replications in common.
 */
function varianceInPairs(
  weights: ReadonlyMap<number, number>,
  { replicates, isPaired }: PointValues,
): number {
  if (!replicates || !isPaired) return 0;
  const terms = [...weights].filter(([, weight]) => weight !== 0);
  const runs = terms.map(([point]) => replicates(point));
  const common = commonReplications(runs);
  if (common.length < 2) return 0;
  const table = runs.map((own) => valuesAt(own, common));
  const totals = common.map((_, at) =>
    terms.reduce((sum, [, weight], i) => sum + weight * table[i]![at]!, 0),
  );
  return momentsOf(totals).variance / common.length;
}
