import { inputsOf } from '../campaign/designs/index.ts';
import { pointKeyOf } from '../campaign/points.ts';
import type { Campaign } from '../campaign/types.ts';

/**
 * Returns a function that makes a point of a search from the values of the inputs that the search varies. A point has a
 * key, and the values of all inputs that differ between points of the campaign.
 */
export function keysOf(
  campaign: Pick<Campaign, 'base' | 'varied' | 'variedFiles' | 'design' | 'fresh'>,
): (values: readonly string[]) => { key: string; values: string[] } {
  const { base, varied } = campaign;
  const keyOf = pointKeyOf(campaign);
  const places = varied.map(({ name }) => inputsOf(campaign.design).indexOf(name));
  const others = varied.map(({ name }) => base.find((input) => input.name === name)!.value);
  return (values) => {
    const own = places.map((place, at) => (place < 0 ? others[at]! : values[place]!));
    return { key: keyOf(own), values: own };
  };
}
