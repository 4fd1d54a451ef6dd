import { levelsOf, scatteredInputs, sizeOf } from '../../campaign/designs/index.ts';
import { findsPoints } from '../../campaign/strategy.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { Statistic } from '../../campaign/measures.ts';
import { analyzedDesign } from '../../sensitivity/design.ts';
import { axisOf } from './input-axis.ts';
import { EvenSample } from './even-sample.ts';
import {
  type CellMean,
  type FacetedGrid,
  facetsBy,
  facetsOf,
  type GridEffect,
  gridOf,
  type InputLevels,
  MOST_CELLS,
  MOST_FACETS,
} from './grid.ts';
import {
  chanceOfPoints,
  confidenceOf,
  type MeanInterval,
  type OverPoints,
  overPoints,
  type PointSample,
} from './mean.ts';
import { type SampledPoint, type ScatterEffects, scatterOf, type SurfaceEffect } from './scatter.ts';
import { kindOfInput } from '../tables/value-kinds.ts';

/** The mean, share or quantile of an output by the value of each input. Bins without a value are missing. */
export interface MainEffects {
  kind: 'main';
  effects: InputEffect[];
  /**
   * Whether points of a factorial design have no value. The means of an input's values then come from different values
   * of the other inputs, so they are not comparable.
   */
  isUneven: boolean;
}

export interface InputEffect {
  axis: ReturnType<typeof axisOf>;
  means: ({ bin: number } & MeanInterval)[];
}

/** The inputs that a reader has chosen for the axes of a heat map or a surface, by name. */
export interface ChosenAxes {
  x?: string | undefined;
  y?: string | undefined;
  /** A heat map for each value of this input. Without it, a cell is the mean over the inputs that are not on an axis. */
  by?: string | undefined;
}

/** Why the pictures do not follow the choice of an input for an axis. */
export interface AxisRefusal {
  name: string;
  /**
   * `twice`: another axis has the input. `many`: the input has too many values for a picture each. `few`: there are no two
   * other inputs for the axes. `sparse`: there are too few points or too many combinations for cells.
   *
   * Two reasons are only for surfaces, which take the place of heat maps if the points of an input are shown one by one.
   * `sampled`: a surface cannot have this input on an axis. `whole`: there is no surface for each value of this input.
   */
  why: 'twice' | 'many' | 'few' | 'sampled' | 'whole' | 'sparse';
}

/** The parts of the effects that no picture shows. */
export interface LeftOut {
  /** The chosen axes that the pictures do not have. */
  axes: AxisRefusal[];
  /** Inputs with too many different texts for an axis. */
  crowded: string[];
  /** Inputs with more values than are kept. */
  cut: string[];
  /** Whether some points belong only to an earlier design of the campaign. */
  isBeside: boolean;
}

/** The maximum number of bins of an input. */
const MOST_BINS = 200;
/** The maximum number of bins of an input that has different values at many of the points. */
const FEW_BINS = 20;
/** The fewest different values of an input whose points are shown one by one. */
const FEWEST_SCATTERED = 10;
/** The maximum number of points that are shown one by one. */
const MOST_SCATTERED = 800;
/**
 * The maximum number of marks in the pictures of all inputs together. The picture of each input shows every drawn
 * point. Therefore fewer points are drawn if there are many inputs.
 */
const MOST_MARKS = 6_000;
/** The smallest limit of the number of drawn points, for very many inputs. */
const FEWEST_OF_MANY = 200;
/** The maximum number of different texts on an axis. Nobody could read an axis with more texts. */
export const MOST_TEXTS = 50;
/** The maximum number of different values of an input that are kept. */
export const MOST_VALUES = 20_000;

/**
 * Collects how an output depends on each input. If two numeric inputs vary, there may also be a grid. If three inputs
 * vary, there may be one grid for each value of the third input. Sampled inputs have their points and smooth curves
 * instead. The memory is bounded for any number of points.
 */
export class EffectGatherer {
  readonly #campaign: Pick<Campaign, 'base' | 'varied' | 'precision' | 'commonRandomNumbers'>;
  readonly #statistic: Statistic;
  readonly #levels: ReadonlyMap<string, readonly string[]>;
  /** The means by input, then by the value of the input. */
  readonly #means: Map<string, OverPoints>[];
  /**
   * The means by the values of all inputs. The map has at most `MOST_CELLS` entries. If it is full, there are no grids.
   */
  readonly #cells = new Map<string, CellMean>();
  /** For each input, whether it had more values than are kept. */
  readonly #isCut: boolean[];
  readonly #sample: EvenSample<SampledPoint>;
  /** The average number of points per value, for inputs whose values the design draws or lists point by point. */
  readonly #scattered: ReadonlyMap<string, number>;
  /** The number of points of a factorial design of several inputs; undefined for other designs. */
  readonly #factorialSize: number | undefined;
  /** The number of different points. */
  #points = 0;

  /** @param statistic - the statistic of the output at each point */
  constructor(
    campaign: Pick<Campaign, 'base' | 'varied' | 'design' | 'precision' | 'commonRandomNumbers' | 'strategy'>,
    statistic: Statistic = 'mean',
  ) {
    this.#statistic = statistic;
    this.#campaign = campaign;
    // points that are found have no list of values
    this.#levels = findsPoints(campaign) ? new Map() : levelsOf(campaign.design);
    this.#means = campaign.varied.map(() => new Map<string, OverPoints>());
    this.#isCut = campaign.varied.map(() => false);
    const most = Math.floor(MOST_MARKS / Math.max(1, campaign.varied.length));
    this.#sample = new EvenSample(Math.max(FEWEST_OF_MANY, Math.min(MOST_SCATTERED, most)));
    this.#scattered = scatteredInputs(campaign.design);
    const isFactorial =
      !findsPoints(campaign) && campaign.varied.length > 1 && analyzedDesign(campaign).method === 'factorial';
    this.#factorialSize = isFactorial ? sizeOf(campaign.design) : undefined;
  }

  /**
   * Adds a point: the values of its varied inputs, and the sample of the output over the replications of the point. The
   * sample has at least one value.
   *
   * @param repeated `draws` is how often the design has the point, and `noise` is the mean square by which the results
   * of its draws differ from the mean
   */
  add(values: readonly string[], sample: PointSample, { draws, noise } = { draws: 1, noise: 0 }): void {
    this.#points += 1;
    for (let draw = 0; draw < draws; draw += 1)
      this.#sample.add(() => ({ values, mean: sample.mean!, noise }));
    for (const [at, means] of this.#means.entries()) {
      const value = values[at]!;
      let mean = means.get(value);
      if (!mean && means.size < MOST_VALUES) means.set(value, (mean = overPoints(this.#statistic)));
      if (mean) mean.add(sample, draws);
      else this.#isCut[at] = true;
    }
    const key = JSON.stringify(values);
    const before = this.#cells.get(key);
    const sum = draws * sample.mean!;
    if (before) {
      before.sum += sum;
      before.weight += draws;
      before.runs += sample.count;
    } else if (this.#cells.size < MOST_CELLS)
      this.#cells.set(key, { values, sum, weight: draws, runs: sample.count });
  }

  /**
   * The effects for the pictures, in the order of the pictures. Empty if no input varies, if no point was added, or if
   * all inputs have too many texts for an axis.
   *
   * @param axes - the chosen axes; without them, the pictures have the axes that show the most
   */
  result(axes: ChosenAxes = {}): (GridEffect | MainEffects | FacetedGrid | ScatterEffects | SurfaceEffect)[] {
    const layout = this.#layout();
    const { inputs, cells } = layout;
    const sampled = inputs.filter((one) => this.#isSampled(one));
    const others = inputs.filter((one) => !sampled.includes(one));
    const chosen = this.#chosen(axes, layout);
    const hasHeatMaps = cells.length > 0 && sampled.length === 0;
    const { grid, facets } = hasHeatMaps ? heatMapsOf(inputs, cells, chosen) : {};
    const effects = others.flatMap((one) => {
      // an input that varies together with others may have a different value at many points
      const differsOften = inputs.length > 1 && 4 * one.levels.length > this.#points;
      return this.#effect(one, differsOften ? FEW_BINS : MOST_BINS);
    });
    const isUneven = this.#factorialSize !== undefined && this.#points !== this.#factorialSize;
    const main = effects.length > 0 ? [{ kind: 'main' as const, effects, isUneven }] : [];
    const spread = inputs.filter((one) => this.#isSpread(one));
    const scatters = this.#scatter(sampled, spread, [chosen.x, chosen.y]);
    return [...(grid ? [grid] : []), ...scatters, ...main, ...(facets ? [facets] : [])];
  }

  /**
   * What the result leaves out.
   *
   * @param axes - the axes of the result
   */
  leftOut(axes: ChosenAxes = {}): LeftOut {
    const layout = this.#layout();
    const { inputs } = layout;
    const names = (which: (one: InputLevels) => boolean): string[] =>
      inputs.filter(which).map(({ input }) => input.name);
    return {
      axes: this.#chosen(axes, layout).refused,
      crowded: names(isCrowded),
      cut: names((one) => this.#isCut[one.at]! && !isCrowded(one) && !this.#isSampled(one)),
      isBeside: inputs.some((one) => {
        const { at, levels } = one;
        if (this.#isSampled(one)) return false;
        const isLevel = new Set(levels);
        return [...this.#means[at]!.keys()].some((value) => !isLevel.has(value));
      }),
    };
  }

  /** Whether an input's points are shown one by one, because many of them have different values. */
  #isSampled(each: InputLevels): boolean {
    const { input, at, levels } = each;
    const pointsPerValue = this.#scattered.get(input.name) ?? 1;
    const areManyDifferent = this.#isCut[at]! || 4 * levels.length * pointsPerValue > this.#points;
    return this.#isSpread(each) && areManyDifferent;
  }

  /** Whether the design draws or lists the values of a numeric input, and there are enough of them for a smooth curve. */
  #isSpread({ input, levels }: InputLevels): boolean {
    const isNumber = kindOfInput(input.type) === 'number' && this.#scattered.has(input.name);
    return isNumber && levels.length >= FEWEST_SCATTERED;
  }

  /** @param spread - the inputs that a surface may have */
  #scatter(
    inputs: readonly InputLevels[],
    spread: readonly InputLevels[],
    axes: readonly (InputLevels | undefined)[],
  ): (ScatterEffects | SurfaceEffect)[] {
    if (inputs.length === 0) return [];
    const { isPart, items } = this.#sample;
    // points with the same seeds share a part of their error, which does not average out
    const confidence = this.#campaign.commonRandomNumbers ? null : confidenceOf(this.#campaign);
    return scatterOf({ inputs, spread, axes: axes.map((one) => one?.input.name) }, items, {
      isPart,
      confidence,
      isShare: this.#statistic === 'share',
    });
  }

  /**
   * The chosen inputs that the pictures have on their axes, and why the others are not there. An input is on one axis
   * only.
   */
  #chosen(
    axes: ChosenAxes,
    { inputs, cells }: { inputs: readonly InputLevels[]; cells: readonly unknown[] },
  ): ChosenInputs & { refused: AxisRefusal[] } {
    const sampled = inputs.filter((one) => this.#isSampled(one));
    const used: InputLevels[] = [];
    const refused: AxisRefusal[] = [];
    const whyNot = (one: InputLevels, isBy: boolean): AxisRefusal['why'] | undefined => {
      if (used.includes(one)) return 'twice';
      if (sampled.length === 0 && cells.length === 0) return 'sparse';
      if (sampled.length > 0 && isBy) return 'whole';
      if (sampled.length > 0 && !this.#isSpread(one)) return 'sampled';
      if (isBy && inputs.length < 3) return 'few';
      return isBy && one.levels.length > MOST_FACETS ? 'many' : undefined;
    };
    const [x, y, by] = (['x', 'y', 'by'] as const).map((axis) => {
      const one = inputs.find(({ input }) => input.name === axes[axis]);
      if (!one) return undefined;
      const why = whyNot(one, axis === 'by');
      if (why) refused.push({ name: one.input.name, why });
      else used.push(one);
      return why ? undefined : one;
    });
    return { x, y, by, refused };
  }

  /** The inputs that vary, and the cells if they make a useful picture. */
  #layout(): { inputs: InputLevels[]; cells: CellMean[] } {
    if (this.#points === 0) return { inputs: [], cells: [] };
    const inputs = this.#campaign.varied
      .map((input, at) => ({
        input,
        at,
        levels: [...new Set(this.#levels.get(input.name) ?? this.#means[at]!.keys())],
      }))
      .filter(({ levels }) => levels.length > 1);
    const size = inputs.reduce((product, { levels }) => product * levels.length, 1);
    return { inputs, cells: this.#isFilled(size) ? [...this.#cells.values()] : [] };
  }

  /**
   * Whether a picture with this number of cells is useful. If the design does not list all values, there must be at
   * least one point for every four cells. Otherwise the picture would show only single dots.
   */
  #isFilled(cells: number): boolean {
    const hasAllCells = this.#cells.size < MOST_CELLS;
    const isListed = this.#campaign.varied.every(({ name }) => this.#levels.has(name));
    return hasAllCells && (isListed || cells <= 4 * this.#points);
  }

  /** The effect of an input; empty if the input has too many texts for an axis. */
  #effect(each: InputLevels, most: number): InputEffect[] {
    if (isCrowded(each)) return [];
    const { input, at, levels } = each;
    const axis = axisOf(input, levels, most);
    const bins = new Map<number, OverPoints>();
    for (const [value, mean] of this.#means[at]!) {
      const bin = axis.binOf.get(value);
      // a point of an earlier design may have a value that the present design does not have
      if (bin === undefined) continue;
      if (!bins.has(bin)) bins.set(bin, overPoints(this.#statistic));
      bins.get(bin)!.join(mean);
    }
    const confidence = confidenceOf(this.#campaign);
    const chance = chanceOfPoints(this.#campaign);
    const means = [...bins].map(([bin, mean]) => ({ bin, ...mean.interval(confidence, chance) }));
    return [{ axis, means: means.sort((a, b) => a.bin - b.bin) }];
  }
}

type ChosenInputs = Record<keyof ChosenAxes, InputLevels | undefined>;

/** The heat map or maps over the chosen axes. Without a choice, only two or three inputs have heat maps. */
function heatMapsOf(
  inputs: readonly InputLevels[],
  cells: readonly CellMean[],
  chosen: ChosenInputs,
): { grid?: GridEffect; facets?: FacetedGrid | undefined } {
  const pair = pairOf(inputs, chosen);
  if (pair && chosen.by) return { facets: facetsBy(...pair, chosen.by, cells) };
  if (pair) return { grid: gridOf(...pair, cells) };
  if (inputs.length === 3) return { facets: facetsOf(inputs, cells) };
  const areNumbers = inputs.every(({ input }) => kindOfInput(input.type) === 'number');
  return areNumbers && inputs.length === 2 ? { grid: gridOf(inputs[0]!, inputs[1]!, cells) } : {};
}

/**
 * The inputs on the two axes of a heat map, if at least one input was chosen. An axis that was not chosen gets the first
 * input that is free. Undefined if there are not enough inputs.
 */
function pairOf(
  inputs: readonly InputLevels[],
  chosen: ChosenInputs,
): [x: InputLevels, y: InputLevels] | undefined {
  const taken = [chosen.x, chosen.y, chosen.by].filter((one) => one !== undefined);
  if (taken.length === 0) return undefined;
  const free = inputs.filter((one) => !taken.includes(one));
  const x = chosen.x ?? free.shift();
  const y = chosen.y ?? free.shift();
  return x && y && [x, y];
}

function isCrowded({ input, levels }: InputLevels): boolean {
  return kindOfInput(input.type) !== 'number' && levels.length > MOST_TEXTS;
}
