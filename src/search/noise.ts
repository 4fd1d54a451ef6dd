import { hasSeed } from '../campaign/seeds.ts';
import type { Campaign } from '../campaign/types.ts';

type Noisy = Pick<
  Campaign,
  'base' | 'replications' | 'precision' | 'search' | 'seed' | 'commonRandomNumbers'
>;

/** Whether chance affects the values, because points have several replications or different seeds. */
export function isNoisy({
  base,
  replications,
  precision,
  search,
  seed,
  commonRandomNumbers,
}: Noisy): boolean {
  const repeats = replications > 1 || Boolean(precision ?? search?.most);
  return hasSeed(base) && (repeats || (seed !== null && !commonRandomNumbers));
}
