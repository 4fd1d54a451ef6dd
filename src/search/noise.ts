import { hasSeed } from '../campaign/seeds.ts';
import type { Campaign } from '../campaign/types.ts';

/** Whether chance affects the values, because points have several replications or different seeds. */
export function isNoisy({ base, replications, search, seed, commonRandomNumbers }: Campaign): boolean {
  const repeats = replications > 1 || search!.most !== null;
  return hasSeed(base) && (repeats || (seed !== null && !commonRandomNumbers));
}
