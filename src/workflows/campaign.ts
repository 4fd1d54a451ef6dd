import {
  ActivityCancellationType,
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities, AdvanceResult, CampaignAddress } from '../activities/index.ts';
import {
  decide,
  emptyOutcomes,
  isFinished,
  newSchedule,
  type Outcomes,
  record,
  wakeIn,
} from '../campaign/schedule.ts';
import { type FailureCounts, intolerable } from '../campaign/failures.ts';
import type { FailurePolicy, Phase, RunCounts } from '../campaign/types.ts';
import {
  cancelSignal,
  pauseSignal,
  progressQuery,
  resumeSignal,
  setConcurrencyUpdate,
  stopSignal,
} from './messages.ts';
import { type CampaignState, detailsOf, newState, note, progressOf } from './state.ts';

/** What the workflow is started with. */
export interface CampaignInput extends CampaignAddress {
  concurrency: number | 'auto';
  failures: FailurePolicy | null;
  /** Start nothing, only stop what an execution that was terminated left running. */
  stopOnly?: true;
  /** What was reached when the workflow continued as new; absent at the start. */
  state?: CampaignState;
}

/** Takes in what is wanted of the campaign, and why. */
type Wish = (wanted: CampaignState['wish'], because: string) => void;

/** The result of a campaign's workflow. */
export interface CampaignSummary {
  campaign: string;
  phase: Phase;
  points: number;
  runs: RunCounts;
  seconds: number;
}

/** Runs that one activity takes on: a tick is spread over activities so that several workers share it. */
const CHUNK = 200;
/** Kept in step with HEARTBEAT_TIMEOUT_MS of the activities, which a workflow cannot import. */
const HEARTBEAT_TIMEOUT = '5s';

const activities = proxyActivities<Activities>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/**
 * One campaign, from its expanded design to its summary. It owns the progress (which runs are requested, which are in
 * flight, what came of them); content lies in the store and never passes through here.
 *
 * preparing → running ⇄ paused, → completed | failed; from each of the first three: → stopping → cancelled.
 */
export async function campaign(input: CampaignInput): Promise<CampaignSummary> {
  const { campaign: id, service, store } = input;
  const address: CampaignAddress = { campaign: id, service, store };
  const state = input.state ?? newState(Date.now());
  const work = new CancellationScope();

  setHandler(cancelSignal, (reason) => {
    note(state, because('cancelled by a signal', reason));
    state.verdict = '';
    work.cancel();
  });
  const wish: Wish = (wanted, because) => {
    // what is stopping does not pause or go on
    if (state.wish === 'stop' || state.wish === wanted) return;
    state.wish = wanted;
    note(state, because);
  };
  setHandler(pauseSignal, (reason) => wish('pause', because('paused', reason)));
  setHandler(resumeSignal, () => {
    if (state.wish !== 'pause') return;
    wish('run', 'resumed');
    state.forgiven = finishedSoFar(state);
    state.verdict = '';
  });
  setHandler(stopSignal, (reason) => {
    // what the failure policy paused, a person ends
    if (state.wish === 'pause') state.verdict = '';
    wish('stop', because('stopped', reason));
  });
  setHandler(
    setConcurrencyUpdate,
    (concurrency) => {
      state.schedule.concurrency = concurrency;
      // a tick at once, as there may be room now
      state.schedule.tickAt = Math.min(state.schedule.tickAt, Date.now());
      return concurrency;
    },
    { validator: validateConcurrency },
  );
  setHandler(progressQuery, () => progressOf(state, Date.now()));

  let end: End;
  try {
    if (input.stopOnly) throw new CancelledFailure('only stops what an earlier execution left running');
    end = await work.run(() => runOn(input, address, state, wish));
  } catch (error) {
    if (!isCancellation(error)) {
      note(state, reasonOf(error));
      await close(address, state, 'failed');
      throw ApplicationFailure.nonRetryable(`The campaign failed: ${reasonOf(error)}`, 'CAMPAIGN_FAILED');
    }
    const isTemporals = CancellationScope.current().consideredCancelled;
    if (isTemporals) state.verdict = '';
    const runs = await CancellationScope.nonCancellable(() => stop(address, state));
    // Temporal's own cancel is to be seen as such; after a signal the workflow has done what it was told.
    if (isTemporals) throw error;
    return conclude(id, state, runs);
  }
  if (end === 'history') return continueAsNew<typeof campaign>({ ...input, state });
  const runs = await close(address, state, end === 'finished' ? 'completed' : endPhase(state));
  return conclude(id, state, runs);
}

/** A campaign that its failure policy ended has failed; one that a person ended is cancelled. */
function endPhase({ verdict }: CampaignState): 'failed' | 'cancelled' {
  return verdict ? 'failed' : 'cancelled';
}

function conclude(campaign: string, state: CampaignState, runs: RunCounts): CampaignSummary {
  if (state.phase === 'failed')
    throw ApplicationFailure.nonRetryable(`The campaign failed: ${state.note}`, 'CAMPAIGN_FAILED');
  const seconds = Math.round((Date.now() - state.startedAt) / 1_000);
  return { campaign, phase: state.phase, points: state.points, runs, seconds };
}

/** Why the main loop ends: all runs have finished; a stop was wished; the history is long enough. */
type End = 'finished' | 'stopped' | 'history';

/** The main loop: carries out wishes, ticks, judges failures, waits. */
async function runOn(
  input: CampaignInput,
  address: CampaignAddress,
  state: CampaignState,
  wish: Wish,
): Promise<End> {
  if (state.phase === 'preparing') {
    show(state);
    const { points, runs } = await activities.prepare.executeWithOptions(
      { summary: 'upload files, expand the design' },
      [address],
    );
    state.points = points;
    state.phase = 'running';
    // set before the design was expanded, it counts for what comes of it
    const wanted = state.schedule.concurrency === 'auto' ? input.concurrency : state.schedule.concurrency;
    state.schedule = newSchedule(runs, wanted);
  }
  const { schedule } = state;
  while (!isFinished(schedule)) {
    await carryOutWish(address, state);
    if (schedule.isHeld && schedule.flights.length === 0) {
      if (state.wish === 'stop') return 'stopped';
      show(state);
      await condition(() => state.wish !== 'pause');
      continue;
    }
    await tick(address, state);
    throwIfCancelled();
    judgeFailures(input.failures, state, wish);
    show(state);
    await untilNextTick(state);
    if (workflowInfo().continueAsNewSuggested && !isFinished(schedule)) {
      await condition(allHandlersFinished);
      throwIfCancelled();
      return 'history';
    }
  }
  return 'finished';
}

/** Pauses, stops or cancels the campaign when its failures are more than its policy tolerates. */
function judgeFailures(policy: FailurePolicy | null, state: CampaignState, wish: Wish): void {
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
  wish(policy.then, `${policy.then === 'pause' ? 'paused' : 'stopped'} by its failure policy: ${why}`);
}

function finishedSoFar({ new: fresh, reused, failed }: CampaignState): FailureCounts {
  return { finished: fresh + reused + failed, failed };
}

/** Waits for the next tick, or until a person wishes something else. */
async function untilNextTick(state: CampaignState): Promise<void> {
  const { schedule, wish } = state;
  const { concurrency } = schedule;
  const wait = wakeIn(schedule, Date.now());
  if (wait <= 0 || isFinished(schedule)) return;
  const isAskedFor = (): boolean => state.wish !== wish || schedule.concurrency !== concurrency;
  await condition(isAskedFor, wait, { summary: detailLine(state) });
}

/** Brings the phase in line with what a person wishes; the store is told, as it refuses requests by it. */
async function carryOutWish(address: CampaignAddress, state: CampaignState): Promise<void> {
  const phases = { run: 'running', pause: 'paused', stop: 'stopping' } as const;
  const phase = phases[state.wish];
  if (state.phase === phase) return;
  state.phase = phase;
  state.schedule.isHeld = phase !== 'running';
  show(state);
  await activities.enterPhase.executeWithOptions({ summary: phase }, [{ ...address, phase }]);
  // asked now: what a person wishes is not to wait for the next tick
  state.schedule.tickAt = Math.min(state.schedule.tickAt, Date.now());
}

function because(what: string, reason: unknown): string {
  return typeof reason === 'string' && reason !== '' ? `${what}: ${reason.slice(0, 200)}` : what;
}

/** @throws Error when it is neither `auto` nor a whole number from 1 */
function validateConcurrency(concurrency: unknown): void {
  if (concurrency === 'auto' || (Number.isInteger(concurrency) && Number(concurrency) >= 1)) return;
  throw new Error('the concurrency is a whole number from 1, or auto');
}

/** An activity that ended before it heard of a cancel ends as usual; a cancel must not be forgotten over that. */
function throwIfCancelled(): void {
  if (CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('The campaign is cancelled');
}

/** Decides what to do now, has it done by activities side by side, and takes in what came of it. */
async function tick(address: CampaignAddress, state: CampaignState): Promise<void> {
  const { schedule } = state;
  const decision = decide(schedule, Date.now());
  const results = await Promise.all(
    chunksOf(decision).map(({ request, poll }) =>
      activities.advance.executeWithOptions({ summary: `request ${request.length}, poll ${poll.length}` }, [
        { ...address, request, poll },
      ]),
    ),
  );
  const { outcomes, retryAfter, failures } = merged(results);
  record(schedule, decision, outcomes, Date.now(), retryAfter);
  state.new += outcomes.new.length;
  state.reused += outcomes.reused.length;
  state.failed += outcomes.failed.length;
  state.failures = [...state.failures, ...failures].slice(-5);
  const finished = outcomes.new.length + outcomes.reused.length + outcomes.failed.length;
  state.finishedAt = [...state.finishedAt, [Date.now(), finished] as [number, number]].slice(-20);
}

async function stop(address: CampaignAddress, state: CampaignState): Promise<RunCounts> {
  state.phase = 'stopping';
  show(state);
  const { stopped, kept } = await activities.stopRuns.executeWithOptions({ summary: 'stop what runs' }, [
    address,
  ]);
  state.schedule.flights = [];
  note(state, `${stopped} runs stopped${kept > 0 ? `, ${kept} left to other campaigns` : ''}`);
  return close(address, state, endPhase(state));
}

/** The campaign is over: the store is told, and has the last word on the counts. */
async function close(address: CampaignAddress, state: CampaignState, phase: Phase): Promise<RunCounts> {
  const { note } = state;
  const runs = await activities.close.executeWithOptions({ summary: phase }, [{ ...address, phase, note }]);
  Object.assign(state, { phase, new: runs.new, reused: runs.reused, failed: runs.failed });
  show(state);
  return runs;
}

function chunksOf({
  request,
  poll,
}: {
  request: number[];
  poll: number[];
}): { request: number[]; poll: number[] }[] {
  const count = Math.ceil((request.length + poll.length) / CHUNK);
  const share = (seqs: number[], at: number): number[] =>
    seqs.slice(Math.floor((at * seqs.length) / count), Math.floor(((at + 1) * seqs.length) / count));
  return Array.from({ length: count }, (_, at) => ({ request: share(request, at), poll: share(poll, at) }));
}

function merged(results: AdvanceResult[]): AdvanceResult {
  const outcomes = emptyOutcomes();
  for (const result of results) {
    for (const name of Object.keys(outcomes) as (keyof Outcomes)[])
      outcomes[name].push(...result.outcomes[name]);
  }
  return {
    outcomes,
    retryAfter: Math.max(0, ...results.map(({ retryAfter }) => retryAfter)),
    failures: results.flatMap(({ failures }) => failures),
  };
}

function show(state: CampaignState): void {
  setCurrentDetails(detailsOf(state, Date.now()));
}

function detailLine(state: CampaignState): string {
  const { runs, window } = progressOf(state, Date.now());
  return `${runs.done + runs.failed} of ${runs.total} finished, window ${window}`;
}

/** An activity's failure says only that there was one; its cause says why. */
function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
