import { levelsOf } from '../campaign/designs/design.ts';
import type { Campaign } from '../campaign/types.ts';
import type { Sample } from '../statistics/sample.ts';
import { axisOf } from './axis.ts';
import { type FacetedGrid, facetsOf, type GridEffect, gridOf, type InputLevels, MOST_CELLS } from './grid.ts';
import { confidenceOf, type MeanInterval, MeanOfPoints } from './mean.ts';
import { kindOfInput } from './values.ts';

export { type FacetedGrid, type GridEffect } from './grid.ts';

/** Mean of an output by the value of each input. Bins without a value are missing. */
export interface MainEffects {
  kind: 'main';
  effects: InputEffect[];
}

export interface InputEffect {
  axis: ReturnType<typeof axisOf>;
  means: ({ bin: number } & MeanInterval)[];
}

const MOST_BINS = 200;
/** Bins of an input of which each holds several points, to tell it from the others. */
const FEW_BINS = 20;
/** More different texts make no readable axis. */
const MOST_TEXTS = 50;
/** Different values of an input that are kept; further ones are left out. */
const MOST_VALUES = 20_000;
/**
 * Gathers how an output depends on the inputs: over the grid where two numeric inputs vary, by each input otherwise, and with
 * three also over grids, one for each value of the third. What it keeps is bounded, however many points there are.
 */
export class EffectGatherer {
  readonly #campaign: Pick<Campaign, 'varied' | 'precision' | 'commonRandomNumbers'>;
  readonly #levels: ReadonlyMap<string, readonly string[]>;
  /** By input, then by value. */
  readonly #means: Map<string, MeanOfPoints>[];
  /** By the values of all inputs, while they may make grids. */
  readonly #cells = new Map<string, { values: readonly string[]; mean: MeanOfPoints }>();
  #points = 0;

  constructor(campaign: Pick<Campaign, 'varied' | 'design' | 'precision' | 'commonRandomNumbers'>) {
    this.#campaign = campaign;
    this.#levels = levelsOf(campaign.design);
    this.#means = campaign.varied.map(() => new Map<string, MeanOfPoints>());
  }

  /** Takes in a point whose varied inputs have these values, and the output these in its replications: one at least. */
  add(values: readonly string[], sample: Pick<Sample, 'count' | 'mean' | 'variance'>): void {
    this.#points += 1;
    for (const [at, means] of this.#means.entries()) {
      const value = values[at]!;
      const before = means.get(value);
      if (before) before.add(sample);
      else if (means.size < MOST_VALUES) means.set(value, meanOf(sample));
    }
    const key = values.join('\n');
    const before = this.#cells.get(key);
    if (before) before.mean.add(sample);
    else if (this.#cells.size < MOST_CELLS) this.#cells.set(key, { values, mean: meanOf(sample) });
  }

  /** What there is to draw, the most telling first; nothing when nothing varies or nothing came in. */
  result(): (GridEffect | MainEffects | FacetedGrid)[] {
    if (this.#points === 0) return [];
    const inputs = this.#campaign.varied
      .map((input, at) => ({
        input,
        at,
        levels: this.#levels.get(input.name) ?? [...this.#means[at]!.keys()],
      }))
      .filter(({ levels }) => new Set(levels).size > 1);
    const size = inputs.reduce((product, { levels }) => product * new Set(levels).size, 1);
    const cells = this.#isFilled(size) ? [...this.#cells.values()] : [];
    const isNumeric = inputs.every(({ input }) => kindOfInput(input.type) === 'number');
    if (cells.length > 0 && inputs.length === 2 && isNumeric) return [gridOf(inputs[0]!, inputs[1]!, cells)];
    const facets = cells.length > 0 && inputs.length === 3 ? facetsOf(inputs, cells) : undefined;
    const effects = inputs.flatMap((each) => {
      // where it varies with others, nearly every point has a value of its own
      const isScattered = inputs.length > 1 && 4 * each.levels.length > this.#points;
      return this.#effect(each, isScattered ? FEW_BINS : MOST_BINS);
    });
    return [...(effects.length > 0 ? [{ kind: 'main' as const, effects }] : []), ...(facets ? [facets] : [])];
  }

  /** Whether so many cells make a picture rather than a scatter of dots. */
  #isFilled(cells: number): boolean {
    const isWhole = this.#cells.size < MOST_CELLS;
    const isListed = this.#campaign.varied.every(({ name }) => this.#levels.has(name));
    return isWhole && (isListed || cells <= 4 * this.#points);
  }

  /** None of an input with too many texts. */
  #effect({ input, at, levels }: InputLevels, most: number): InputEffect[] {
    const axis = axisOf(input, levels, most);
    if (!axis.numeric && axis.bins.length > MOST_TEXTS) return [];
    const bins = new Map<number, MeanOfPoints>();
    for (const [value, mean] of this.#means[at]!) {
      const bin = axis.binOf.get(value);
      // a point of an earlier design of the campaign may lie beside this one
      if (bin === undefined) continue;
      if (!bins.has(bin)) bins.set(bin, new MeanOfPoints());
      bins.get(bin)!.join(mean);
    }
    const confidence = confidenceOf(this.#campaign);
    const isIndependent = !this.#campaign.commonRandomNumbers;
    const means = [...bins].map(([bin, mean]) => ({ bin, ...mean.interval(confidence, isIndependent) }));
    return [{ axis, means: means.sort((a, b) => a.bin - b.bin) }];
  }
}

function meanOf(sample: Pick<Sample, 'count' | 'mean' | 'variance'>): MeanOfPoints {
  const mean = new MeanOfPoints();
  mean.add(sample);
  return mean;
}
