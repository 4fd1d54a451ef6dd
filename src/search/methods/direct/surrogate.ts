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
 */
export function valuesOf(
  cells: readonly Cell[],
  ranking: Ranking,
  dimensions: readonly OrderedDimension[],
): Map<Cell, number> {
  const finished = cells.filter(({ told }) => told?.value != null);
  const feasible = finished.filter(({ told }) => ranking.missOf(told!) === 0);
  const known =
    feasible.length > 0
      ? feasible.map((cell): [Cell, number] => [cell, cell.told!.value!])
      : finished.map((cell): [Cell, number] => [cell, ranking.missOf(cell.told!)]);
  const values = new Map(known);
  if (known.length === cells.length) return values;
  const beyond = known.reduce((most, [, value]) => Math.max(most, value), -Infinity) + 1;
  for (const cell of cells) {
    if (values.has(cell)) continue;
    let least = Infinity;
    for (const [{ x }, value] of known) if (value < least && isNear(cell, x, dimensions)) least = value;
    values.set(cell, least < Infinity ? least + 1e-6 * Math.abs(least) : Math.max(0, beyond));
  }
  return values;
}
