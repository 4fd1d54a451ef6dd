import { hasStrategy, type StrategyBy, type StrategyName } from '../../src/campaign/strategy.ts';
import type { Campaign } from '../../src/campaign/types.ts';

/** A strategy, or its progress or course, of which the test knows the kind. Throws for another kind. */
export function only<T extends { by: string }, By extends T['by']>(
  by: By,
  one: T | null,
): Extract<T, { by: By }> {
  if (one?.by === by) return one as Extract<T, { by: By }>;
  throw new Error(`expected a ${by}, not a ${one?.by}`);
}

/** A campaign of which the test knows the strategy. Throws for another one. */
export function campaignBy<By extends StrategyName>(
  by: By,
  campaign: Campaign,
): Campaign & { strategy: StrategyBy<By> } {
  if (hasStrategy(campaign, by)) return campaign;
  throw new Error(`expected a campaign by ${by}, not by ${campaign.strategy.by}`);
}
