import type { StrategyName } from './strategy.ts';
import { closedPhases, type Phase } from './types.ts';

/** Whether the strategy of a campaign may ask for further runs, so that their number at the end is unknown. */
export function asksForMore({
  phase,
  strategy,
}: {
  phase: Phase;
  strategy: { by: StrategyName; stage?: string };
}): boolean {
  // a strategy without stages is a design; one that grows may grow until the campaign ends
  const mayAsk = strategy.stage === undefined ? strategy.by === 'growing' : strategy.stage !== 'over';
  return mayAsk && !closedPhases.includes(phase);
}
