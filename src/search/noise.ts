import { hasSeed } from '../campaign/seeds.ts';
import type { Campaign } from '../campaign/types.ts';

type Noisy = Pick<
  Campaign,
  'base' | 'replications' | 'precision' | 'strategy' | 'seed' | 'commonRandomNumbers'
>;

/** Whether chance affects the values, because points have several replications or different seeds. */
export function isNoisy({
  base,
  replications,
  precision,
  strategy,
  seed,
  commonRandomNumbers,
}: Noisy): boolean {
  const repeats =
    replications > 1 || precision !== null || (strategy.by === 'search' && strategy.most !== null);
  return hasSeed(base) && (repeats || (seed !== null && !commonRandomNumbers));
}
