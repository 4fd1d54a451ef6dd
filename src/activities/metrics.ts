import { metricMeter } from '@temporalio/activity';
import type { AdvanceInput, AdvanceResult } from './types.ts';

/** The counters of runs, each `foray_<name>_total`, with its help text. */
const counters = {
  runs_requested: 'Requests for runs, including repeated requests for the same run',
  runs_polled: 'Polls of runs that have been requested',
  runs_completed: 'Runs that have completed for a campaign of this worker',
  runs_reused: 'Runs that a campaign did not start, because the model service already had them',
  runs_failed: 'Runs that have failed for good',
  attempts_failed: 'Failed attempts at runs that are tried again',
  runs_unheard: 'Requests and polls that the model service did not answer',
};

/** Adds the results of a tick to the metrics of its worker, if metrics are on. */
export function countTick(
  { request, poll, expire }: Pick<AdvanceInput, 'request' | 'poll' | 'expire'>,
  { outcomes }: Pick<AdvanceResult, 'outcomes'>,
): void {
  const counts: Record<keyof typeof counters, number> = {
    runs_requested: request.length,
    runs_polled: poll.length + expire.length,
    runs_completed: outcomes.new.length,
    runs_reused: outcomes.reused.length,
    runs_failed: outcomes.failed.length,
    attempts_failed: outcomes.again.length,
    runs_unheard: outcomes.later.length,
  };
  for (const [name, about] of Object.entries(counters)) {
    const count = counts[name as keyof typeof counters];
    if (count > 0) metricMeter.createCounter(`foray_${name}`, undefined, about).add(count);
  }
}
