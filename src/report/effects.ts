import { levelsOf } from '../campaign/designs/design.ts';
import type { Campaign, VariedInput } from '../campaign/types.ts';
import { type Axis, axisOf } from './axis.ts';
import { kindOfInput } from './values.ts';

/** Sum and number of what fell into a cell or bin. */
interface Tally {
  sum: number;
  count: number;
}

/** Mean of an output over cells of two numeric inputs. Cells without a value are missing. */
export interface GridEffect {
  kind: 'grid';
  x: Axis;
  y: Axis;
  cells: { x: number; y: number; mean: number }[];
}

/** Mean of an output by the value of each input. Bins without a value are missing. */
export interface MainEffects {
  kind: 'main';
  effects: { axis: Axis; means: { bin: number; mean: number }[] }[];
}

const MOST_CELLS_A_SIDE = 150;
const MOST_CELLS = 100_000;
const MOST_BINS = 200;
/** Bins of an input of which nearly every point has a value of its own. */
const FEW_BINS = 20;
/** More different texts make no readable axis. */
const MOST_TEXTS = 50;
/** Different values of an input that are kept; further ones are left out. */
const MOST_VALUES = 20_000;

/**
 * Gathers how an output depends on the inputs: over the grid where two numeric inputs vary, by each input otherwise.
 * What it keeps is bounded, however many points there are.
 */
export class EffectGatherer {
  readonly #varied: readonly VariedInput[];
  readonly #levels: ReadonlyMap<string, readonly string[]>;
  /** By input, then by value. */
  readonly #tallies: Map<string, Tally>[];
  /** By the values of two numeric inputs, if that is what there is. */
  readonly #cells = new Map<string, Tally & { values: readonly string[] }>();
  #points = 0;

  constructor({ varied, design }: Pick<Campaign, 'varied' | 'design'>) {
    this.#varied = varied;
    this.#levels = levelsOf(design);
    this.#tallies = varied.map(() => new Map<string, Tally>());
  }

  /** Takes in the mean of a point whose varied inputs have these values. */
  add(values: readonly string[], mean: number): void {
    this.#points += 1;
    for (const [at, tallies] of this.#tallies.entries()) {
      if (tallies.size < MOST_VALUES || tallies.has(values[at]!)) tally(tallies, values[at]!, mean);
    }
    const key = values.join('\n');
    if (this.#cells.size >= MOST_CELLS && !this.#cells.has(key)) return;
    this.#cells.set(key, { ...sumOf(this.#cells.get(key), mean), values });
  }

  /** Undefined when nothing varies or nothing came in. */
  result(): GridEffect | MainEffects | undefined {
    if (this.#points === 0) return undefined;
    const inputs = this.#varied
      .map((input, at) => ({
        input,
        at,
        levels: this.#levels.get(input.name) ?? [...this.#tallies[at]!.keys()],
      }))
      .filter(({ levels }) => new Set(levels).size > 1);
    if (inputs.length === 0) return undefined;
    const [x, y] = inputs;
    const isNumeric = inputs.every(({ input }) => kindOfInput(input.type) === 'number');
    if (inputs.length === 2 && isNumeric && this.#isFilled(x!.levels.length * y!.levels.length))
      return this.#grid(x!, y!);
    const effects = inputs.flatMap(({ input, at, levels }) => {
      const axis = axisOf(input, levels, 4 * levels.length > this.#points ? FEW_BINS : MOST_BINS);
      return axis.numeric || axis.bins.length <= MOST_TEXTS ? [this.#effect(axis, at)] : [];
    });
    return effects.length === 0 ? undefined : { kind: 'main', effects };
  }

  /** Whether so many cells make a picture rather than a scatter of dots. */
  #isFilled(cells: number): boolean {
    const isWhole = this.#cells.size < MOST_CELLS;
    const isListed = this.#varied.every(({ name }) => this.#levels.has(name));
    return isWhole && (isListed || cells <= 4 * this.#points);
  }

  #grid(x: InputLevels, y: InputLevels): GridEffect {
    const [across, up] = [
      axisOf(x.input, x.levels, MOST_CELLS_A_SIDE),
      axisOf(y.input, y.levels, MOST_CELLS_A_SIDE),
    ];
    const cells = new Map<number, Tally>();
    for (const { values, sum, count } of this.#cells.values()) {
      const [column, row] = [across.binOf.get(values[x.at]!), up.binOf.get(values[y.at]!)];
      // a point of an earlier design of the campaign may lie beside this one
      if (column === undefined || row === undefined) continue;
      const cell = column * MOST_CELLS_A_SIDE + row;
      const before = cells.get(cell) ?? { sum: 0, count: 0 };
      cells.set(cell, { sum: before.sum + sum, count: before.count + count });
    }
    const means = [...cells].map(([cell, { sum, count }]) => ({
      x: Math.floor(cell / MOST_CELLS_A_SIDE),
      y: cell % MOST_CELLS_A_SIDE,
      mean: sum / count,
    }));
    return { kind: 'grid', x: across, y: up, cells: means };
  }

  #effect(axis: Axis, at: number): MainEffects['effects'][number] {
    const bins = new Map<number, Tally>();
    for (const [value, { sum, count }] of this.#tallies[at]!) {
      const bin = axis.binOf.get(value);
      if (bin === undefined) continue;
      const before = bins.get(bin) ?? { sum: 0, count: 0 };
      bins.set(bin, { sum: before.sum + sum, count: before.count + count });
    }
    const means = [...bins].map(([bin, { sum, count }]) => ({ bin, mean: sum / count }));
    return { axis, means: means.sort((a, b) => a.bin - b.bin) };
  }
}

/** A varied input, its place among them, and its values. */
interface InputLevels {
  input: VariedInput;
  at: number;
  levels: readonly string[];
}

function tally(tallies: Map<string, Tally>, value: string, mean: number): void {
  tallies.set(value, sumOf(tallies.get(value), mean));
}

function sumOf(before: Tally | undefined, mean: number): Tally {
  return { sum: (before?.sum ?? 0) + mean, count: (before?.count ?? 0) + 1 };
}
