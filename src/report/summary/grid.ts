import type { VariedInput } from '../../campaign/types.ts';
import { type Axis, axisOf } from './input-axis.ts';
import { kindOfInput } from '../tables/value-kinds.ts';

interface GridCell {
  x: number;
  y: number;
  mean: number;
  /** The number of runs behind the mean. */
  runs: number;
}

/** The mean of an output in each cell of two numeric inputs. Cells without a value are missing. */
export interface GridEffect {
  kind: 'grid';
  x: Axis;
  y: Axis;
  cells: GridCell[];
}

/** A grid for each value of a third input. */
export interface FacetedGrid {
  kind: 'facets';
  x: Axis;
  y: Axis;
  by: VariedInput;
  facets: { label: string; cells: GridCell[] }[];
}

/** A varied input, its index among the varied inputs, and its values, each once. */
export interface InputLevels {
  input: VariedInput;
  at: number;
  levels: readonly string[];
}

/** The mean over points with the same values of all inputs. A point counts as often as the design has it. */
export interface CellMean {
  values: readonly string[];
  /** The sum of the points' means. */
  sum: number;
  /** The number of points in the sum. */
  weight: number;
  /** The number of runs of these points. */
  runs: number;
}

/** The maximum number of combinations of values of all inputs that are kept. */
export const MOST_CELLS = 100_000;
/** The maximum number of cells along an axis of a single picture. */
const MOST_CELLS_A_SIDE = 150;
/** The maximum number of cells along an axis if there are several pictures. */
const MOST_CELLS_A_SIDE_OF_MANY = 50;
/** The maximum number of values of the third input. Each has its own picture. */
export const MOST_FACETS = 9;
/** The fewest values of each of the other two inputs, if there are several pictures. */
const FEWEST_CELLS_A_SIDE = 3;

export function gridOf(x: InputLevels, y: InputLevels, means: readonly CellMean[]): GridEffect {
  const axes = axesOf(x, y, MOST_CELLS_A_SIDE);
  return { kind: 'grid', ...axes, cells: cellsOf(x, y, axes, means) };
}

/**
 * Makes grids over two of three inputs, one for each value of the third input. The third input is the one with the
 * fewest values, provided that the other two are numeric. Undefined if the grids would not be readable.
 */
export function facetsOf(
  inputs: readonly InputLevels[],
  means: readonly CellMean[],
): FacetedGrid | undefined {
  const fewestFirst = inputs.toSorted((a, b) => a.levels.length - b.levels.length);
  const by = fewestFirst.find((one) =>
    inputs.every((other) => other === one || kindOfInput(other.input.type) === 'number'),
  );
  const [x, y] = inputs.filter((one) => one !== by);
  if (!by || [x!, y!].some(({ levels }) => levels.length < FEWEST_CELLS_A_SIDE)) return undefined;
  return facetsBy(x!, y!, by, means);
}

/** Makes grids over two inputs, one for each value of a third input; undefined if it has too many values. */
export function facetsBy(
  x: InputLevels,
  y: InputLevels,
  by: InputLevels,
  means: readonly CellMean[],
): FacetedGrid | undefined {
  const { bins } = axisOf(by.input, by.levels, Infinity);
  if (bins.length > MOST_FACETS) return undefined;
  const axes = axesOf(x, y, MOST_CELLS_A_SIDE_OF_MANY);
  const facets = bins.map(({ label }) => ({
    label,
    cells: cellsOf(
      x,
      y,
      axes,
      means.filter(({ values }) => values[by.at] === label),
    ),
  }));
  return { kind: 'facets', ...axes, by: by.input, facets };
}

function axesOf(x: InputLevels, y: InputLevels, most: number): { x: Axis; y: Axis } {
  return { x: axisOf(x.input, x.levels, most), y: axisOf(y.input, y.levels, most) };
}

function cellsOf(
  x: InputLevels,
  y: InputLevels,
  axes: { x: Axis; y: Axis },
  means: readonly CellMean[],
): GridCell[] {
  const sums = new Map<number, Omit<CellMean, 'values'>>();
  for (const { values, sum, weight, runs } of means) {
    const [column, row] = [axes.x.binOf.get(values[x.at]!), axes.y.binOf.get(values[y.at]!)];
    // a point of an earlier design may have a value that the present design does not have
    if (column === undefined || row === undefined) continue;
    const cell = column * axes.y.bins.length + row;
    const before = sums.get(cell) ?? { sum: 0, weight: 0, runs: 0 };
    sums.set(cell, { sum: before.sum + sum, weight: before.weight + weight, runs: before.runs + runs });
  }
  return [...sums].map(([cell, { sum, weight, runs }]) => ({
    x: Math.floor(cell / axes.y.bins.length),
    y: cell % axes.y.bins.length,
    mean: sum / weight,
    runs,
  }));
}
