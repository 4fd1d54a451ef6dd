import type { Told } from '../method.ts';
import { coordinateOf } from '../../../campaign/search/dimension.ts';
import type { OrderedDimension } from '../levels.ts';

/**
 * A part of the box in one dimension: an interval of a real coordinate, or the levels from `from` up to, but not
 * including, `to`.
 */
interface Side {
  from: number;
  to: number;
  /** How often the side was divided; Infinity if it cannot be divided further. */
  divisions: number;
}

/** A part of the box with the point in its middle. */
export interface Cell {
  sides: Side[];
  x: number[];
  /** The result of the point; null until it is known. */
  told: Told | null;
  /** How far the point is from being allowed; 0 if it is. */
  lack: number;
  /**
   * The least value near the cell among the first `compared` known values, so that each value is compared once. Null before
   * the first comparison, and after a division of the cell.
   */
  near: { compared: number; least: number } | null;
}

/** The division of a cell in one dimension. */
export interface Cut {
  dimension: number;
  /** The new cells. They have the sides of their parent until it is divided. */
  cells: Cell[];
  /** The side of each new cell in that dimension. */
  sides: Side[];
  /** The side that the parent keeps. */
  middle: Side;
}

/**
 * A side of a real coordinate is divided at most this often. After more divisions, rounding would decide where the
 * thirds are.
 */
const MOST_DIVISIONS = 30;

const UNKNOWN = { told: null, lack: 0, near: null };

export function wholeBox(dimensions: readonly OrderedDimension[]): Cell {
  const sides = dimensions.map((dimension) => sideOf(dimension, 0, lengthOf(dimension), 0));
  return { sides, x: sides.map((side, i) => middleOf(side, dimensions[i]!)), ...UNKNOWN };
}

/**
 * How often the longest side was divided. The side with the fewest divisions counts as the longest. Infinity if the
 * cell is a single point.
 */
export function divisionsOf({ sides }: Cell): number {
  return Math.min(...sides.map(({ divisions }) => divisions));
}

/**
 * The cuts of a cell into thirds, one cut for each of its longest sides. The points of the new cells must be told
 * before the cell is divided.
 */
export function cutsOf(cell: Cell, dimensions: readonly OrderedDimension[]): Cut[] {
  const least = divisionsOf(cell);
  return cell.sides.flatMap((side, i) => {
    if (side.divisions !== least) return [];
    const dimension = dimensions[i]!;
    const third = thirdOf(side, dimension);
    const next = side.divisions + 1;
    const middle = sideOf(dimension, side.from + third, side.to - third, next);
    const right = sideOf(dimension, side.to - third, side.to, next);
    const left = sideOf(dimension, side.from, side.from + third, next);
    // a cell with two levels keeps the lower one
    const isPair = dimension.kind === 'integer' && side.to - side.from === 2;
    const sides = isPair ? [right] : [right, left];
    const cells = sides.map((one) => ({
      sides: cell.sides,
      x: cell.x.with(i, middleOf(one, dimension)),
      ...UNKNOWN,
    }));
    return [{ dimension: i, cells, sides, middle: isPair ? left : middle }];
  });
}

/**
 * Divides a cell, in the order of the cuts. The new cells of the first cut are the largest.
 *
 * @returns the new cells
 */
export function divide(cell: Cell, cuts: readonly Cut[]): Cell[] {
  return cuts.flatMap(({ dimension, cells, sides, middle }) => {
    cells.forEach((one, k) => (one.sides = cell.sides.with(dimension, sides[k]!)));
    cell.sides = cell.sides.with(dimension, middle);
    cell.near = null;
    return cells;
  });
}

/** Whether a point is in the cell after each side of the cell is doubled in length. */
export function isNear(
  { sides }: Cell,
  x: readonly number[],
  dimensions: readonly OrderedDimension[],
): boolean {
  return sides.every(({ from, to }, i) => {
    const place = x[i]! * lengthOf(dimensions[i]!);
    const half = (to - from) / 2;
    return place >= from - half && place <= to + half;
  });
}

function sideOf(dimension: OrderedDimension, from: number, to: number, divisions: number): Side {
  const isSingle = dimension.kind === 'integer' ? to - from === 1 : divisions >= MOST_DIVISIONS;
  return { from, to, divisions: isSingle ? Infinity : divisions };
}

function thirdOf({ from, to }: Side, dimension: OrderedDimension): number {
  return dimension.kind === 'real' ? (to - from) / 3 : Math.max(1, Math.round((to - from) / 3));
}

/** The coordinate of a side's point: its middle, or the lower of two middle levels. */
function middleOf({ from, to }: Side, dimension: OrderedDimension): number {
  return dimension.kind === 'real'
    ? (from + to) / 2
    : coordinateOf(Math.floor((from + to - 1) / 2), dimension.levels);
}

/** The length of the whole box: 1 for a real coordinate, otherwise the number of levels. */
function lengthOf(dimension: OrderedDimension): number {
  return dimension.kind === 'integer' ? dimension.levels : 1;
}
