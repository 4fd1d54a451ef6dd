import type { SumOfSquares } from '../statistics/variance-share.ts';
import { momentsOf } from './moments.ts';
import { pairsOf } from './sobol-indices.ts';

/** The points of a factorial design, by the levels of their inputs. */
export interface LevelPoints {
  inputs: readonly string[];
  /** The number of levels of each input. */
  levels: readonly number[];
  /** The value at each level of each input, and whether it is a number. */
  values: readonly { names: readonly string[]; areNumbers: boolean }[];
  /**
   * For each input, the level of each point. Levels count from 0. The levels of a number are in ascending order. Other
   * levels are in the order of the definition.
   */
  codes: readonly Uint16Array[];
  /** Whether the points are all combinations of levels, each once. */
  isFull: boolean;
  /**
   * The effects that the design cannot distinguish from an effect of one or two inputs. The inputs are given by their
   * indices. A full design has no such effects.
   */
  aliases: (inputs: readonly number[]) => string[];
}

/**
 * The means of the points of a factorial design, and their sums of squares (analysis of variance). Inputs are given by
 * their indices. `own` are points that an effect comes from.
 */
export class FactorialTable {
  /** The points that have a value. */
  readonly points: readonly number[];
  /** Whether all points have a value. */
  readonly isWhole: boolean;
  /** The sum of squares of all points, and their variance. */
  readonly squares: number;
  readonly variance: number;
  /** The largest absolute mean of a point. */
  readonly largest: number;
  /** The number of levels of each input at which some point has a value. */
  readonly present: readonly number[];
  readonly #design: LevelPoints;
  readonly #means: Float64Array;

  constructor(design: LevelPoints, means: Float64Array) {
    this.#design = design;
    this.#means = means;
    this.points = [...means.keys()].filter((point) => !Number.isNaN(means[point]!));
    this.isWhole = this.points.length === means.length;
    this.variance = this.momentsOf(this.points).variance;
    this.squares = this.variance * (this.points.length - 1);
    this.largest = Math.max(...this.points.map((point) => Math.abs(means[point]!)));
    this.present = design.codes.map((codes) => new Set(this.points.map((point) => codes[point]!)).size);
  }

  /** The same points with other values. */
  of(means: Float64Array): FactorialTable {
    return new FactorialTable(this.#design, means);
  }

  /** The mean of a point. */
  at(point: number): number {
    return this.#means[point]!;
  }

  momentsOf(own: readonly number[]): ReturnType<typeof momentsOf> {
    return momentsOf(own.map((point) => this.#means[point]!));
  }

  /** The level of an input at a point. */
  level(input: number, point: number): number {
    return this.#design.codes[input]![point]!;
  }

  /**
   * The points from which the effect of one or two inputs comes. If a point has no value, these are only the points in
   * complete blocks. All points of a block have the same values of the other inputs. A block is complete if each
   * combination of levels of the inputs has a value. Levels at which no point has a value do not count.
   */
  comparedFor(inputs: readonly number[]): readonly number[] {
    if (this.isWhole) return this.points;
    if (inputs.some((input) => this.present[input]! < 2)) return [];
    const size = inputs.reduce((product, input) => product * this.present[input]!, 1);
    const block = this.#blockOf(inputs);
    const blocks = Map.groupBy(this.points, block);
    return this.points.filter((point) => blocks.get(block(point))!.length === size);
  }

  /** Returns a function that numbers the block of a point: the combination of levels of all other inputs. */
  #blockOf(inputs: readonly number[]): (point: number) => number {
    const { levels } = this.#design;
    const others = [...levels.keys()].filter((input) => !inputs.includes(input));
    return (point) => others.reduce((block, input) => block * levels[input]! + this.level(input, point), 0);
  }

  /** The mean at each level of an input, minus the mean of all these points; NaN for a level without a point. */
  deviations(input: number, own: readonly number[]): Float64Array {
    const { mean } = this.momentsOf(own);
    const sums = new Float64Array(this.#design.levels[input]!);
    const counts = new Float64Array(sums.length);
    for (const point of own) {
      sums[this.level(input, point)]! += this.at(point);
      counts[this.level(input, point)]! += 1;
    }
    return sums.map((sum, level) => (counts[level]! > 0 ? sum / counts[level]! : NaN) - mean);
  }

  /** What lies between the levels of one input, or in the interaction of two, at each of these points. */
  part(inputs: readonly number[], own: readonly number[]): Part {
    const freedom = inputs.reduce((product, input) => product * (this.present[input]! - 1), 1);
    const [a, b] = inputs as [number, number?];
    return partOf(b === undefined ? this.#ofMain(a, own) : this.#ofPair(a, b, own), freedom);
  }

  #ofMain(input: number, own: readonly number[]): Float64Array {
    const alone = this.deviations(input, own);
    return Float64Array.from(own, (point) => alone[this.level(input, point)]!);
  }

  #ofPair(a: number, b: number, own: readonly number[]): Float64Array {
    const { mean } = this.momentsOf(own);
    const [ofA, ofB] = [this.deviations(a, own), this.deviations(b, own)];
    const width = ofB.length;
    const sums = new Float64Array(ofA.length * width);
    const counts = new Float64Array(sums.length);
    const cellOf = (point: number): number => this.level(a, point) * width + this.level(b, point);
    for (const point of own) {
      sums[cellOf(point)]! += this.at(point);
      counts[cellOf(point)]! += 1;
    }
    return Float64Array.from(own, (point) => {
      const cell = cellOf(point);
      return sums[cell]! / counts[cell]! - mean - ofA[this.level(a, point)]! - ofB[this.level(b, point)]!;
    });
  }

  /** What remains if all other inputs are known: the differences within blocks. */
  within(input: number, own: readonly number[]): Part {
    const block = this.#blockOf([input]);
    const means = new Map(
      [...Map.groupBy(own, block)].map(([number, points]) => [number, this.momentsOf(points).mean]),
    );
    const values = Float64Array.from(own, (point) => this.at(point) - means.get(block(point))!);
    return partOf(values, own.length - means.size);
  }

  /** What a part leaves of the differences between these points. */
  without({ values, freedom }: Part, own: readonly number[]): Part {
    const { mean } = this.momentsOf(own);
    const rest = Float64Array.from(own, (point, at) => this.at(point) - mean - values[at]!);
    return partOf(rest, own.length - 1 - freedom);
  }

  /**
   * The interactions of three and more inputs of a full design; without `hasPairs`, of two and more inputs. Undefined if
   * there are none, or if points have no value.
   */
  untested(hasPairs: boolean): Part | undefined {
    if (!this.#design.isFull || !this.isWhole) return undefined;
    const { length } = this.#design.inputs;
    const tested = [...Array.from({ length }, (_, input) => [input]), ...(hasPairs ? pairsOf(length) : [])];
    const { mean } = this.momentsOf(this.points);
    const rest = Float64Array.from(this.points, (point) => this.at(point) - mean);
    let freedom = this.points.length - 1;
    for (const inputs of tested) {
      const part = this.part(inputs, this.points);
      for (const [at, value] of part.values.entries()) rest[at]! -= value;
      freedom -= part.freedom;
    }
    return freedom > 0 ? partOf(rest, freedom) : undefined;
  }
}

/** A part of the means: its value at each point, and its sum of squares. */
export interface Part extends SumOfSquares {
  values: Float64Array;
}

function partOf(values: Float64Array, freedom: number): Part {
  return { values, squares: values.reduce((sum, value) => sum + value ** 2, 0), freedom };
}
