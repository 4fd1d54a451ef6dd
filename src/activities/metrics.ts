import { metricMeter } from '@temporalio/activity';
import type { AdvanceInput, AdvanceResult } from './types.ts';

/** The counters of runs and their help texts. The full name of a counter is `foray_<name>_total`. */
const counters = {
  runs_requested: 'Requests for runs, including repeated requests for the same run',
  runs_polled: 'Polls of requested runs',
  runs_completed: 'Completed runs that a campaign of this worker started itself',
  runs_reused: 'Runs that a campaign did not start, because the model service already had them',
  runs_failed: 'Runs that have failed and are not tried again',
  attempts_failed: 'Failed attempts of runs that are tried again',
  runs_unheard:
    'Requests and polls without a usable answer, and runs whose output files could not be fetched',
};

/** Adds the outcomes of a tick to the metrics of its worker. Without metrics, this does nothing. */
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
