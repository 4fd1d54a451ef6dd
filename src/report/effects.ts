import type { Campaign } from '../campaign/types.ts';
import { type Axis, axisOf } from './axis.ts';

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
const MOST_POINTS = 200;
/** More different texts make no readable axis. */
const MOST_TEXTS = 50;

/**
 * Gathers how an output depends on the inputs: over the grid where two numeric inputs vary, by each input otherwise.
 * What it keeps is bounded, however many points there are.
 */
export class EffectGatherer {
  readonly #axes: { at: number; axis: Axis }[];
  readonly #isGrid: boolean;
  readonly #tallies: Map<number, Tally>[];

  constructor({ varied }: Pick<Campaign, 'varied'>) {
    const inputs = varied
      .map((input, at) => ({ at, input }))
      .filter(({ input }) => new Set(input.values).size > 1);
    const axes = (most: number) => inputs.map(({ at, input }) => ({ at, axis: axisOf(input, most) }));
    const fine = axes(MOST_POINTS);
    this.#isGrid = fine.length === 2 && fine.every(({ axis }) => axis.numeric);
    this.#axes = this.#isGrid
      ? axes(MOST_CELLS_A_SIDE)
      : fine.filter(({ axis }) => axis.numeric || axis.bins.length <= MOST_TEXTS);
    this.#tallies = (this.#isGrid ? [0] : this.#axes).map(() => new Map<number, Tally>());
  }

  /** Takes in the mean of a point whose varied inputs have these values. */
  add(values: readonly string[], mean: number): void {
    const bins = this.#axes.map(({ at, axis }) => axis.binOf.get(values[at]!));
    // a point of an earlier design of the campaign may lie beside this one
    if (bins.includes(undefined)) return;
    const cells = this.#isGrid ? [bins[0]! * MOST_CELLS_A_SIDE + bins[1]!] : (bins as number[]);
    cells.forEach((cell, i) => {
      const tally = this.#tallies[i]!.get(cell) ?? { sum: 0, count: 0 };
      this.#tallies[i]!.set(cell, { sum: tally.sum + mean, count: tally.count + 1 });
    });
  }

  /** Undefined when nothing varies or nothing came in. */
  result(): GridEffect | MainEffects | undefined {
    if (!this.#tallies.some((tallies) => tallies.size > 0)) return undefined;
    const [x, y] = this.#axes;
    if (this.#isGrid) {
      const cells = [...this.#tallies[0]!].map(([cell, tally]) => ({
        x: Math.floor(cell / MOST_CELLS_A_SIDE),
        y: cell % MOST_CELLS_A_SIDE,
        mean: tally.sum / tally.count,
      }));
      return { kind: 'grid', x: x!.axis, y: y!.axis, cells };
    }
    const effects = this.#axes.map(({ axis }, i) => ({
      axis,
      means: [...this.#tallies[i]!]
        .map(([bin, { sum, count }]) => ({ bin, mean: sum / count }))
        .sort((a, b) => a.bin - b.bin),
    }));
    return { kind: 'main', effects };
  }
}
