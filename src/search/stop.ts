import { difference } from '../campaign/expressions/index.ts';
import type { StopReason } from '../campaign/search/log.ts';
import type { StopRule } from '../campaign/search/search.ts';
import type { History } from './history.ts';

/** The space counts as exhausted if this many asks (proposals of the method) in a row give no new point. */
const MOST_EMPTY_ASKS = 50;
/** If no point meets the requirements, the rule `stall` ends the search only after at least this many points. */
const MOST_WITHOUT_BEST = 100;
/** The search ends when this many asks have been told and all of their points failed. */
const MOST_FAILED = 20;

/**
 * Why the search stops asking for points; undefined while it goes on. The reason depends only on asks and told values,
 * not on which runs happen to have finished.
 *
 * @param from - the number of asks before the last change of the search
 * @param target - the minimized value at which or below which the search ends; null if the rule has none
 */
export function stopReason(
  rule: StopRule,
  history: History,
  { target, replications, from }: { target: number | null; replications: number; from: number },
): StopReason | undefined {
  const best = history.bestOf();
  if (rule.points !== null && history.points >= rule.points) return 'points';
  if (rule.runs !== null && history.runs(replications) >= rule.runs) return 'runs';
  if (target !== null && best && difference(best.told!.value!, target) <= 0) return 'value';
  if (rule.stall !== null && isStalled(rule.stall, history, from)) return 'stall';
  if (history.hasOnlyFailures(MOST_FAILED)) return 'failures';
  return history.inVain >= MOST_EMPTY_ASKS ? 'exhausted' : undefined;
}

/** Whether a proposal promises less than the rule demands. `gain` is null if the method does not know it. */
export function isTooLittle({ gain: least }: StopRule, gain: number | null): boolean {
  return gain !== null && least !== null && gain < least;
}

function isStalled(stall: number, history: History, from: number): boolean {
  // points that were asked for before a change of the search do not count
  const told = history.told - from;
  if (history.bestOf()) return Math.min(history.sinceBest, told) >= stall;
  // without this limit, a search whose requirements cannot be met would never end
  return told >= Math.max(stall, MOST_WITHOUT_BEST);
}
