import { inputsOf } from '../campaign/designs/index.ts';
import { pointKeys } from '../campaign/keys.ts';
import { fixedInputs } from '../campaign/points.ts';
import type { Campaign } from '../campaign/types.ts';

/**
 * Returns a function that makes a point of a search from the values of the inputs that the search varies. A point has a
 * key, and the values of all inputs that differ between points of the campaign.
 */
export function keysOf(
  campaign: Pick<Campaign, 'base' | 'varied' | 'design' | 'fresh'>,
): (values: readonly string[]) => { key: string; values: string[] } {
  const { base, varied } = campaign;
  const fixed = fixedInputs(campaign);
  const keyOf = pointKeys([...fixed, ...varied].map(({ name }) => name));
  const fixedValues = fixed.map(({ value }) => value);
  const places = varied.map(({ name }) => inputsOf(campaign.design).indexOf(name));
  const others = varied.map(({ name }) => base.find((input) => input.name === name)!.value);
  return (values) => {
    const own = places.map((place, at) => (place < 0 ? others[at]! : values[place]!));
    return { key: keyOf([...fixedValues, ...own]), values: own };
  };
}
