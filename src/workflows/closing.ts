import { ApplicationFailure, upsertMemo } from '@temporalio/workflow';
import type { PrecisionProgress } from '../campaign/precise-points.ts';
import { stoppedText } from '../campaign/stopped-runs.ts';
import type { Phase, RunCounts } from '../campaign/types.ts';
import { type Context, enter } from './context.ts';
import { tell } from './notice.ts';
import { type CampaignState, failedText, isStillAfterRetry, note, progressOf } from './state.ts';
import { activities } from './tick.ts';

/** The result of a campaign's workflow. */
export interface CampaignSummary {
  campaign: string;
  phase: Phase;
  points: number;
  runs: RunCounts;
  seconds: number;
  /** How many points are precise; null unless the campaign replicates its points until they are precise. */
  precision: PrecisionProgress | null;
}

/** Refuses all changes from now on, also pending ones. */
export function beginToClose(context: Context): void {
  context.isClosing = true;
  for (const pending of context.changes.splice(0))
    pending.answer = { refused: 'the campaign has ended meanwhile', code: 'CAMPAIGN_CLOSED' };
}

/**
 * The phase of a campaign that ended early: `failed` if its failure policy, its timeout or an error ended it,
 * `cancelled` if a person did.
 */
function endPhase({ verdict }: CampaignState): 'failed' | 'cancelled' {
  return verdict ? 'failed' : 'cancelled';
}

/**
 * The phase of a campaign that a stop ended. The campaign is `completed` if no run and no search is left. The schedule
 * may not know this: while the campaign is held, it does not read the last page of waiting runs. It does not ask the
 * search either, but a search that was over before a retry stays over, and a retry of only the failed runs does not
 * continue a growing design.
 */
export function stoppedPhase(state: CampaignState): 'completed' | 'cancelled' | 'failed' {
  const { search } = state;
  const isOver = !search || search.isOver || search.wasOver || isStillAfterRetry(state);
  const isLeft = progressOf(state, Date.now()).runs.waiting > 0 || !isOver;
  return isLeft || state.verdict ? endPhase(state) : 'completed';
}

/**
 * The phase of a campaign when nothing is left to do. A campaign that its failure policy stopped is `failed`. A
 * cancelled campaign still has waiting runs after a retry of only its failed runs, and is `cancelled` again. Any other
 * campaign is `completed`.
 */
export function finishedPhase(state: CampaignState): 'completed' | 'cancelled' | 'failed' {
  if (state.verdict && state.wish === 'stop') return 'failed';
  return progressOf(state, Date.now()).runs.waiting > 0 ? 'cancelled' : 'completed';
}

/** Stops the runs of the campaign, and closes it. */
export async function stop(context: Context): Promise<RunCounts> {
  const { address, state } = context;
  enter(context, 'stopping');
  const stopped = await activities.stopRuns.executeWithOptions({ summary: 'stop open runs' }, [address]);
  state.schedule.flights = [];
  note(state, stoppedText(stopped));
  return close(context, endPhase(state));
}

/**
 * Stops the runs whose requests got no answer. When a stop ends a campaign, nothing else asks for the state of these
 * runs. The store gets the results of the runs that have finished.
 */
export async function settleUnanswered({ address }: Context): Promise<void> {
  await activities.stopRuns.executeWithOptions({ summary: 'stop runs whose requests were not answered' }, [
    address,
  ]);
}

/** Closes the campaign in the store. The counts of the store are final. */
export async function close(context: Context, phase: Phase): Promise<RunCounts> {
  const { address, state } = context;
  const { note } = state;
  const runs = await activities.close.executeWithOptions({ summary: phase }, [{ ...address, phase, note }]);
  Object.assign(state, { new: runs.new, reused: runs.reused, failed: runs.failed });
  // without a worker, nobody can query the details, but the list of workflows still shows the memo
  if (runs.failed > 0) upsertMemo({ outcome: `${phase}, ${failedText(runs)}` });
  enter(context, phase);
  await tell(context, 'campaign.ended');
  return runs;
}

/**
 * The summary of a closed campaign.
 * @throws ApplicationFailure CAMPAIGN_FAILED
 */
export function conclude({ input, state }: Context, runs: RunCounts): CampaignSummary {
  if (state.phase === 'failed')
    throw ApplicationFailure.nonRetryable(`The campaign failed: ${state.note}`, 'CAMPAIGN_FAILED');
  const seconds = Math.round((Date.now() - state.startedAt) / 1_000);
  const { phase, points, precision } = state;
  return { campaign: input.campaign, phase, points, runs, seconds, precision };
}
