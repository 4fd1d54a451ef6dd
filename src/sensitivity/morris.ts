import type { InputType } from '../api/index.ts';
import { isNumeric } from '../campaign/designs/input-types.ts';
import type { SpreadInput } from '../campaign/designs/resolved-design.ts';
import { drawnRow } from '../campaign/designs/rows.ts';
import type { MorrisRow } from '../campaign/sampling/morris.ts';
import type { InputIndices } from './analysis.ts';
import { momentsOf } from './moments.ts';
import { bootstrapIntervals } from './resample.ts';

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
  const placeIn = inputs.map((input) => placesOf(input, typeOf(input.name)));
  const rows = levels.map(({ unit }) => drawnRow(inputs, unit));
  return {
    inputs: inputs.map(({ name }) => name),
    changed: Int32Array.from(levels, ({ changed }) => changed ?? -1),
    steps: Float64Array.from(levels, ({ changed, step }, row) => {
      const place = changed === null ? undefined : placeIn[changed];
      if (!place) return step;
      return place(rows[row]![changed!]!) - place(rows[row - 1]![changed!]!);
    }),
  };
}

/**
 * Returns a function that gives the place of a value in the range of an input, from 0 to 1. The values of a list have
 * equal distances. Whole numbers and lists need this function, because the nearest value to a level may be far from the
 * level. Undefined for other inputs: their places are the levels.
 */
function placesOf(
  { isWhole, distribution }: SpreadInput,
  type: InputType,
): ((value: string) => number) | undefined {
  if (distribution.kind === 'choice') {
    const values = [...new Set(distribution.values)];
    if (isNumeric(type)) values.sort((a, b) => Number(a) - Number(b));
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
 * over trajectories.
 */
export function morrisIndices(
  inputs: readonly string[],
  { effects, trajectories }: ElementaryEffects,
  confidence: number,
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
  const muStars = meanSizes(new Uint32Array(trajectories).fill(1));
  return inputs.map((input, at) => {
    const own = Float64Array.from({ length: trajectories }, (_, one) => effects[one * k + at]!);
    const { mean, variance } = momentsOf(own);
    const muStarInterval = intervals[at];
    return {
      input,
      mu: mean,
      muStar: muStars[at]!,
      ...(muStarInterval && { muStarInterval }),
      ...(trajectories > 1 && { sigma: Math.sqrt(variance) }),
    };
  });
}
