import { inputsOf } from '../campaign/designs/index.ts';
import { baseValues, reordering } from '../campaign/designs/kind.ts';
import { pointKeyOf } from '../campaign/points.ts';
import type { Campaign } from '../campaign/types.ts';

/**
 * Returns a function that makes a point of a search from the values of the inputs that the search varies. A point has a
 * key, and the values of all inputs that differ between points of the campaign.
 */
export function pointMaker(
  campaign: Pick<Campaign, 'base' | 'varied' | 'variedFiles' | 'design' | 'fresh'>,
): (searched: readonly string[]) => { key: string; values: string[] } {
  const { base, varied } = campaign;
  const keyOf = pointKeyOf(campaign);
  const names = varied.map(({ name }) => name);
  const inOrder = reordering(inputsOf(campaign.design), names, baseValues(names, base));
  return (searched) => {
    const values = inOrder(searched);
    return { key: keyOf(values), values };
  };
}
