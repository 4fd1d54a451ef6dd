/**
 * One input that a search varies, as a method sees it: a coordinate from 0 to 1. Methods do not see a logarithmic scale
 * or the step of a `real` input. When a method is told the value of a point, it also gets the coordinates that the
 * point really had.
 *
 * - `real`: 0 is the lower bound, 1 the upper bound, both included.
 * - `integer`: level i of n in their order has the coordinate (i + 0.5) / n; each coordinate belongs to the level
 *   floor(n·x).
 * - `choice`: like `integer`, but the levels have no order.
 */
export type Dimension =
  | { kind: 'real' }
  | { kind: 'integer'; levels: number }
  | { kind: 'choice'; levels: number };

/** The level of a coordinate, counted from 0. A coordinate outside [0, 1] belongs to the first or last level. */
export function levelAt(x: number, levels: number): number {
  return Math.min(levels - 1, Math.max(0, Math.floor(levels * x)));
}

/** The coordinate of a level: the middle of its part of [0, 1]. Levels count from 0. */
export function coordinateOf(level: number, levels: number): number {
  return (level + 0.5) / levels;
}
