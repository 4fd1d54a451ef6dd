import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  workflowInfo,
} from '@temporalio/workflow';
import { intolerable } from '../campaign/failures.ts';
import { isFinished, newSchedule, startOver, wakeIn } from '../campaign/scheduler/index.ts';
import { carryOutChange, carryOutChanges } from './changes.ts';
import {
  beginToClose,
  type CampaignSummary,
  close,
  conclude,
  finishedPhase,
  settleUnanswered,
  stop,
  stoppedPhase,
} from './closing.ts';
import { type CampaignInput, type Context, enter, show } from './context.ts';
import { listen, wish } from './handlers.ts';
import { tell } from './notice.ts';
import {
  type CampaignState,
  carried,
  finishedSoFar,
  newSearch,
  newState,
  note,
  progressOf,
  unpacked,
} from './state.ts';
import { activities, continueSearch, lookForMore, tick } from './tick.ts';

/**
 * With more events or more bytes (`MOST_BYTES`) in the history of an execution, a new execution begins, even if the
 * server does not suggest it.
 */
const MOST_EVENTS = 8_000;
const MOST_BYTES = 8 * 1024 * 1024;
/** An execution that shall continue a closed campaign ends if its change does not come within this time. */
const CHANGE_COMES_WITHIN = '10 s';
/** A tick, or a preparation without large files, takes longer than this only if something does not answer. */
const WORK_ENDS_WITHIN = '2 s';

/**
 * One campaign, from the expansion of its design to its summary. The workflow owns the progress: which runs are
 * requested, which are in flight, and their outcomes. The inputs and outputs of runs are in the store and do not pass
 * through the workflow.
 *
 * The phases: preparing → running ⇄ paused; each of these three → stopping, also after an error. When all runs have
 * finished: running, paused, stopping → completed (cancelled if a retry left waiting runs; failed if the failure policy
 * stopped the campaign). When only the requested runs have finished or were stopped: stopping → cancelled | failed.
 */
export async function campaign(input: CampaignInput): Promise<CampaignSummary> {
  const { campaign: id, createdAt, service, store, failures, timeouts, notify } = input;
  const state = input.state ? unpacked(input.state) : newState(Date.now(), { failures, timeouts, notify });
  const context: Context = {
    input,
    address: { campaign: id, createdAt, service, store },
    state,
    changes: [],
    isClosing: false,
  };
  const work = new CancellationScope();
  listen(context, () => work.cancel());

  let end: End;
  try {
    if (input.stopOnly)
      throw new CancelledFailure('This execution only stops the runs that an earlier one left');
    const limit = new CancellationScope();
    // the limit also ends a tick that waits for a service
    limit.run(() => untilTooLate(context)).then(() => work.cancel(), ignoreCancel);
    end = await work.run(() => mainLoop(context)).finally(() => limit.cancel());
  } catch (error) {
    beginToClose(context);
    // a closed campaign that cannot go on stays as it was, and so does one whose change is cancelled before it is made
    if (input.goesOn && state.phase === 'preparing') {
      await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
      throw work.consideredCancelled ? refusedChange() : error;
    }
    // an activity that fails after a cancel is not retried, so its failure must not fail the campaign
    if (!isCancellation(error) && !work.consideredCancelled) {
      state.verdict = reasonOf(error);
      note(state, state.verdict);
    }
    const isCancelledByTemporal = CancellationScope.current().consideredCancelled;
    if (isCancelledByTemporal) state.verdict = '';
    const runs = await CancellationScope.nonCancellable(() => stop(context));
    // After Temporal's own cancel the workflow ends as Canceled. After a signal it ends as Completed.
    if (isCancelledByTemporal) throw error;
    return conclude(context, runs);
  }
  if (end === 'history') return continued({ ...input, state: carried(state) });
  beginToClose(context);
  if (end === 'stopped') await settleUnanswered(context);
  const runs = await close(context, end === 'finished' ? finishedPhase(state) : stoppedPhase(state));
  return conclude(context, runs);
}

/** A campaign continues with the current build of the workers, on a server that supports this. */
const continued = makeContinueAsNewFunc<typeof campaign>({ initialVersioningBehavior: 'AUTO_UPGRADE' });

/**
 * Why the main loop ends: all runs have finished, a stop was requested and no run is in flight, or a new
 * execution shall continue.
 */
type End = 'finished' | 'stopped' | 'history';

/**
 * The main loop: carries out requested phases and changes, makes a tick (requests and polls of runs), judges failures,
 * continues a search, and waits.
 */
async function mainLoop(context: Context): Promise<End> {
  const { input, state } = context;
  if (state.phase === 'preparing')
    await (input.goesOn ? continueClosed(context) : withWishes(context, () => prepare(context)));
  const { schedule } = state;
  while (!isThrough(state) || context.changes.length > 0) {
    await carryOutChanges(context);
    await carryOutWish(context);
    if (schedule.isHeld && schedule.flights.length === 0) {
      if (state.wish === 'stop') return 'stopped';
      show(context);
      await untilWished(context, () => state.wish !== 'pause');
      continue;
    }
    const { failed } = state;
    const proposed = await withWishes(context, () => tick(context));
    if (failed === 0 && state.failed > 0) await tell(context, 'campaign.first_failure');
    throwIfCancelled();
    judgeFailures(state);
    await continueSearch(context, proposed);
    lookForMore(context);
    show(context);
    await untilNextTick(context);
    if (isTimeToContinue() && !isThrough(state)) {
      await condition(() => allHandlersFinished() || context.changes.length > 0);
      throwIfCancelled();
      if (context.changes.length === 0) return 'history';
    }
  }
  return 'finished';
}

/** True when every run has finished and no search goes on. */
function isThrough({ schedule, search }: CampaignState): boolean {
  return isFinished(schedule) && (!search || search.isOver);
}

async function prepare(context: Context): Promise<void> {
  const { address, input, state } = context;
  show(context);
  const { points, runs, grows, precision, step } = await activities.prepare.executeWithOptions(
    { summary: 'upload files, expand the design' },
    [address],
  );
  state.points = points;
  state.total = runs;
  state.precision = precision;
  state.search = newSearch(step);
  // a concurrency that was set while the design was being expanded stays
  const wanted = state.schedule.concurrency === 'auto' ? input.concurrency : state.schedule.concurrency;
  state.schedule = newSchedule(runs, wanted, state.settings.timeouts.run);
  // the store may already have further runs, whose seqs follow the seqs of the design, so the schedule reads the store
  if (grows) startOver(state.schedule, Date.now());
  // a phase that was requested meanwhile stays
  if (state.phase === 'preparing') enter(context, 'running');
  state.schedule.isHeld = state.phase !== 'running';
}

/**
 * Continues a closed campaign with a new state of the workflow: applies the change that this execution was started for,
 * and takes the counts and settings from the store.
 */
async function continueClosed(context: Context): Promise<void> {
  const { state, changes } = context;
  state.schedule = newSchedule(0, state.schedule.concurrency);
  show(context);
  // Temporal starts this execution together with a change. Without one, the change was refused as wrong, or got lost.
  if (!(await condition(() => changes.length > 0, CHANGE_COMES_WITHIN))) throw refusedChange();
  const { request } = changes[0]!;
  state.failedOnly = 'retry' in request && (request.retry === 'failed' || typeof request.retry === 'object');
  await carryOutChange(context);
  if (state.total === 0) throw refusedChange();
  enter(context, 'running');
}

function refusedChange(): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    'The change with which this campaign continues was refused.',
    'REFUSED',
  );
}

/** Waits for the next tick, or until another phase, another concurrency or a change is requested. */
async function untilNextTick(context: Context): Promise<void> {
  const { state } = context;
  const { schedule, wish: wished } = state;
  const { concurrency } = schedule;
  const wait = wakeIn(schedule, Date.now());
  if (wait <= 0 || isFinished(schedule)) return;
  const isAskedFor = (): boolean => state.wish !== wished || schedule.concurrency !== concurrency;
  await untilWished(context, isAskedFor, wait);
}

/** Waits until `isWished` is true, a change is requested, or the time `wait` (ms) is over. */
async function untilWished(context: Context, isWished: () => boolean, wait?: number): Promise<void> {
  const { state, changes } = context;
  const isAskedFor = (): boolean => isWished() || changes.length > 0;
  if (wait === undefined) await condition(isAskedFor);
  else await condition(isAskedFor, wait, { summary: detailLine(state) });
}

/**
 * Waits for the preparation or for a tick. A requested phase also waits for this work, because runs that a tick has just
 * requested are known only at its end. But a service that does not answer must not hold the phase, so the phase waits no
 * longer than `WORK_ENDS_WITHIN`.
 */
async function withWishes<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const { state } = context;
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  const isWished = (): boolean =>
    state.phase === 'preparing' ? state.wish !== 'run' : state.phase !== wishedPhase[state.wish];
  // after a cancel, the activities end before this does
  const wishes = CancellationScope.nonCancellable(async () => {
    for (;;) {
      await condition(() => isOver || isWished());
      if (isOver || (await condition(() => isOver, WORK_ENDS_WITHIN))) return;
      await carryOutWish(context);
    }
  });
  const [result] = await Promise.all([working, wishes]);
  return result;
}

const wishedPhase = { run: 'running', pause: 'paused', stop: 'stopping' } as const;

/** Applies the requested phase, here and in the store. The phase decides whether the store allows requests. */
async function carryOutWish(context: Context): Promise<void> {
  const { address, state } = context;
  const phase = wishedPhase[state.wish];
  if (state.phase === phase) return;
  state.schedule.isHeld = phase !== 'running';
  enter(context, phase);
  await activities.enterPhase.executeWithOptions({ summary: phase }, [{ ...address, phase }]);
  if (phase === 'paused') await tell(context, 'campaign.paused');
  // a new phase has its effect now, not only at the next tick
  state.schedule.tickAt = Math.min(state.schedule.tickAt, Date.now());
}

/** Ends the main loop after a cancel. An activity may end as usual before it notices the cancel. */
function throwIfCancelled(): void {
  if (CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('The campaign is cancelled');
}

/** Whether the history is long, or another build of the workers is the current one. */
function isTimeToContinue(): boolean {
  const { continueAsNewSuggested, historyLength, historySize, targetWorkerDeploymentVersionChanged } =
    workflowInfo();
  const isLong = continueAsNewSuggested || historyLength > MOST_EVENTS || historySize > MOST_BYTES;
  return isLong || targetWorkerDeploymentVersionChanged;
}

function detailLine(state: CampaignState): string {
  const { runs, window } = progressOf(state, Date.now());
  return `${runs.done + runs.failed} of ${runs.total} finished, window ${window}`;
}

/** The message of a failed activity is in the cause of its failure. */
function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** Pauses, stops or cancels the campaign when it has more failures than its policy tolerates. */
function judgeFailures(state: CampaignState): void {
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

/**
 * Resolves when the campaign has taken too long. It then ends in the same way as after a cancel, but its last phase is
 * `failed`. A change that continues a closed campaign may give it another limit first.
 */
async function untilTooLate({ input, state }: Context): Promise<void> {
  await condition(() => !input.goesOn || state.phase !== 'preparing');
  for (;;) {
    const limit = state.settings.timeouts.campaign;
    const isChanged = (): boolean => state.settings.timeouts.campaign !== limit;
    if (limit === null) {
      await condition(isChanged);
      continue;
    }
    const left = state.startedAt + limit - Date.now();
    if (left > 0 && (await condition(isChanged, left, { summary: 'the time of the campaign' }))) continue;
    state.verdict = `it had not finished ${limit / 1_000} s after its start`;
    return note(state, `cancelled by its timeout: ${state.verdict}`);
  }
}

/** The wait for the limit ends with the main loop. */
function ignoreCancel(error: unknown): void {
  if (!isCancellation(error)) throw error;
}
