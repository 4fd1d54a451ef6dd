import { coordinateOf, levelAt } from '../../../campaign/search/dimension.ts';
import type { Dimension } from '../method.ts';

/** Moves integers and choices of a point to the middle of their level, and reals into [0, 1]. */
export function snapped(dimensions: readonly Dimension[], x: readonly number[]): number[] {
  return x.map((value, j) => {
    const dimension = dimensions[j]!;
    if (dimension.kind === 'real') return Math.min(1, Math.max(0, value));
    return coordinateOf(levelAt(value, dimension.levels), dimension.levels);
  });
}

/** The number of points of a space; Infinity with a real dimension. */
export function countOf(dimensions: readonly Dimension[]): number {
  const counts = dimensions.map((dimension) => (dimension.kind === 'real' ? Infinity : dimension.levels));
  return counts.reduce((product, count) => product * count, 1);
}

/** All points of a space without real dimensions. The last dimension changes fastest. */
export function* allPoints(dimensions: readonly Dimension[]): Generator<number[]> {
  const count = countOf(dimensions);
  for (let index = 0; index < count; index += 1) {
    let rest = index;
    yield dimensions
      .toReversed()
      .map((dimension) => {
        const levels = dimension.kind === 'real' ? 1 : dimension.levels;
        const level = rest % levels;
        rest = Math.floor(rest / levels);
        return coordinateOf(level, levels);
      })
      .reverse();
  }
}
