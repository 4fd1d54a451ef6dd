import { inputsOf } from '../campaign/designs/index.ts';
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
  const searchedAt = varied.map(({ name }) => inputsOf(campaign.design).indexOf(name));
  const baseValues = varied.map(({ name }) => base.find((input) => input.name === name)!.value);
  return (searched) => {
    const values = searchedAt.map((index, at) => (index < 0 ? baseValues[at]! : searched[index]!));
    return { key: keyOf(values), values };
  };
}
