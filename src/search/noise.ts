import { hasSeed } from '../campaign/seeds.ts';
import type { Campaign } from '../campaign/types.ts';

/** Whether chance affects the values: repeats of a point may differ, or points have different seeds. */
export function isNoisy({ base, replications, search, seed, commonRandomNumbers }: Campaign): boolean {
  const repeats = replications > 1 || search!.most !== null;
  return hasSeed(base) && (repeats || (seed !== null && !commonRandomNumbers));
}
