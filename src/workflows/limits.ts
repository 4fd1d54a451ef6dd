import { CancelledFailure } from '@temporalio/workflow';
import { intolerable } from '../campaign/failures.ts';
import { wish } from './handlers.ts';
import { type CampaignState, finishedSoFar, note } from './state.ts';

/** Pauses, stops or cancels the campaign when it has more failures than its policy tolerates. */
export function judgeFailures(state: CampaignState): void {
  const policy = state.settings.failures;
  if (!policy || state.verdict || state.wish !== 'run') return;
  const { finished, failed } = finishedSoFar(state);
  const { forgiven } = state;
  const why = intolerable(policy, {
    finished: finished - forgiven.finished,
    failed: failed - forgiven.failed,
  });
  if (why === undefined) return;
  state.verdict = why;
  if (policy.then === 'cancel') {
    note(state, `cancelled by its failure policy: ${why}`);
    throw new CancelledFailure(why);
  }
  wish(state, policy.then, `${policy.then === 'pause' ? 'paused' : 'stopped'} by its failure policy: ${why}`);
}

/** Milliseconds that the campaign may still take; undefined when there is no limit. */
export function timeLeft({ settings, startedAt }: CampaignState): number | undefined {
  const limit = settings.timeouts.campaign;
  return limit === null ? undefined : startedAt + limit - Date.now();
}

/** Ends a campaign that has taken too long, in the same way as a cancel. But its last phase is `failed`. */
export function throwIfTooLate(state: CampaignState): void {
  if ((timeLeft(state) ?? 1) > 0) return;
  state.verdict = `it had not finished ${state.settings.timeouts.campaign! / 1_000} s after its start`;
  note(state, `cancelled by its timeout: ${state.verdict}`);
  throw new CancelledFailure(state.verdict);
}
