import type { Dimension } from './method.ts';

/** A dimension whose coordinates have an order. */
export type OrderedDimension = Exclude<Dimension, { kind: 'choice' }>;

/** @throws Error when a dimension is a choice, whose levels have no order */
export function ordered(dimensions: readonly Dimension[], method: string): OrderedDimension[] {
  return dimensions.map((dimension) => {
    if (dimension.kind === 'choice') throw new Error(`The method ${method} takes no choices.`);
    return dimension;
  });
}
