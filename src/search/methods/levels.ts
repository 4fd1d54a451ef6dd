import type { Dimension } from './method.ts';

/** The level of a coordinate, counted from 0. A coordinate outside [0, 1] belongs to the first or last level. */
export function levelAt(x: number, levels: number): number {
  return Math.min(levels - 1, Math.max(0, Math.floor(levels * x)));
}

/** The coordinate of a level: the middle of its part of [0, 1]. Levels count from 0. */
export function coordinateOf(level: number, levels: number): number {
  return (level + 0.5) / levels;
}

/** A dimension whose coordinates have an order. */
export type OrderedDimension = Exclude<Dimension, { kind: 'choice' }>;

/** @throws Error when a dimension is a choice, whose levels have no order */
export function ordered(dimensions: readonly Dimension[], method: string): OrderedDimension[] {
  return dimensions.map((dimension) => {
    if (dimension.kind === 'choice') throw new Error(`The method ${method} takes no choices.`);
    return dimension;
  });
}
