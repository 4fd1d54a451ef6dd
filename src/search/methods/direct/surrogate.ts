import type { OrderedDimension } from '../levels.ts';
import type { Ranking } from '../ranking.ts';
import { type Cell, isNear } from './cell.ts';

/**
 * The value of each cell. While no point meets the requirements, the value is the distance from meeting them.
 * Afterwards, points that miss the requirements count like failed points. The value of a failed point is a little more
 * than the least known value near it. A value is near if its point is in the cell after each side of the cell is
 * doubled. If no value is near, the value of the point is more than all known values. So the search comes close to
 * regions with good points. This is the neighbourhood assignment strategy for hidden constraints of J. M. Gablonsky,
 * "Modifications of the DIRECT algorithm", thesis, North Carolina State University (2001), section 3.4.
 *
 * A point that is not allowed counts as failed. Among such points without a near value, the one that is nearest to being
 * allowed is best, so the search also comes close to a narrow region in which it knows no point.
 *
 * @param finished - the cells with a value, in the order in which the values came
 */
export function valuesOf(
  cells: readonly Cell[],
  finished: readonly Cell[],
  ranking: Ranking,
  dimensions: readonly OrderedDimension[],
): Map<Cell, number> {
  const feasible = finished.filter(({ told }) => ranking.missOf(told!) === 0);
  const isMet = feasible.length > 0;
  const known = isMet
    ? feasible.map((cell): [Cell, number] => [cell, cell.told!.value!])
    : finished.map((cell): [Cell, number] => [cell, ranking.missOf(cell.told!)]);
  const values = new Map(known);
  const aboveAll = known.reduce((most, [, value]) => Math.max(most, value), -Infinity) + 1;
  for (const cell of cells) {
    if (values.has(cell)) continue;
    // values of points that meet the requirements stay the same, so each of them is compared with the cell only once
    const before = (isMet ? cell.near : null) ?? { compared: 0, least: Infinity };
    let { least } = before;
    for (let at = before.compared; at < known.length; at += 1) {
      const [{ x }, value] = known[at]!;
      if (value < least && isNear(cell, x, dimensions)) least = value;
    }
    if (isMet) cell.near = { compared: known.length, least };
    const withoutNear = Math.max(0, aboveAll) + cell.lack / (1 + cell.lack);
    values.set(cell, least < Infinity ? least + 1e-6 * Math.abs(least) : withoutNear);
  }
  return values;
}
