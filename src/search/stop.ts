import type { StopReason } from '../campaign/search/log.ts';
import type { StopRule } from '../campaign/search/search.ts';
import type { History } from './history.ts';

/** Asks in a row that add no point: nothing new is to be found then. */
const MOST_IN_VAIN = 50;
/** Points that were told and have all failed: the search ends then. */
const MOST_FAILED = 20;

/**
 * Why no more points are asked; undefined while more are. It goes by what was asked and told only, and not by what has finished, so it
 * does not depend on time.
 *
 * @param target - the value of the rule as it is minimized; null without one
 */
export function stopReason(
  rule: StopRule,
  history: History,
  { target, replications }: { target: number | null; replications: number },
): StopReason | undefined {
  const best = history.bestOf();
  if (rule.points !== null && history.points >= rule.points) return 'points';
  if (rule.runs !== null && history.runs(replications) >= rule.runs) return 'runs';
  if (target !== null && best && best.told!.value! <= target) return 'value';
  if (rule.stall !== null && best && history.sinceBest >= rule.stall) return 'stall';
  if (history.hasOnlyFailures(MOST_FAILED)) return 'failures';
  return history.inVain >= MOST_IN_VAIN ? 'exhausted' : undefined;
}
