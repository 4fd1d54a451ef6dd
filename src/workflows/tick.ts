import { ActivityCancellationType, ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import { HEARTBEAT_TIMEOUT } from '../campaign/heartbeat.ts';
import type { Activities, AdvanceResult, Proposed } from '../activities/index.ts';
import { addCauses } from '../campaign/failures.ts';
import type { PrecisionProgress } from '../campaign/precise-points.ts';
import type { Step } from '../campaign/strategy.ts';
import {
  addWork,
  decide,
  type Decision,
  emptyOutcomes,
  finishedIn,
  hasWork,
  isFinished,
  needsWork,
  applyOutcomes,
  addPage,
  seqsAdded,
  startOver,
} from '../campaign/scheduler/index.ts';
import type { Context } from './context.ts';
import { wish } from './handlers.ts';
import { type CampaignState, isStillAfterRetry, LAST_TICKS } from './state.ts';

/**
 * The maximum number of runs per activity. A larger tick is split into several activities, so that several workers can
 * share it.
 */
const CHUNK = 200;
/** Seqs per page that is read from the store. */
const PAGE = 2_000;
/**
 * The shortest time between two steps of a search while points wait to be requested, or while results would not lead to
 * more points.
 */
const SEARCH_WAIT_MS = 10_000;
/** The number of failures whose reasons the Web UI shows. */
const LAST_FAILURES = 5;

export const activities = proxyActivities<Activities>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/**
 * Decides what to do now, runs activities for it in parallel, and applies their outcomes.
 *
 * @returns the answer of the search, if an activity continued it
 */
export async function tick({ address, state }: Context): Promise<Proposed | undefined> {
  const { schedule } = state;
  if (needsWork(schedule, Date.now())) {
    const page = { after: schedule.more!, limit: PAGE, failedOnly: state.failedOnly };
    const summary = 'what waits to be requested';
    const lengthBefore = schedule.again.length;
    addPage(
      schedule,
      await activities.waitingRuns.executeWithOptions({ summary }, [{ ...address, ...page }]),
    );
    if (state.hasLooked) state.total += schedule.again.length - lengthBefore;
  }
  const decision = decide(schedule, Date.now());
  const { resultsFirst } = state;
  const chunks = chunksOf(decision);
  // one of several activities does not know the results of the others
  const proposeAfter = chunks.length === 1 ? neededOf(state, decision) : undefined;
  const results = await Promise.all(
    chunks.map((chunk) =>
      activities.advance.executeWithOptions({ summary: summaryOf(chunk) }, [
        { ...address, ...chunk, resultsFirst, ...(proposeAfter !== undefined && { proposeAfter }) },
      ]),
    ),
  );
  const { outcomes, retryAfter, failures, causes, added, precision } = merged(results);
  const now = Date.now();
  addWork(schedule, added);
  applyOutcomes(schedule, decision, outcomes, now, retryAfter);
  state.total += added.count;
  if (precision) state.precision = precision;
  state.new += outcomes.new.length;
  state.reused += outcomes.reused.length;
  state.failed += outcomes.failed.length;
  state.triedAgain += outcomes.again.length;
  state.failures = [...state.failures, ...failures].slice(-LAST_FAILURES);
  addCauses(state.causes, causes);
  if (decision.request.length > 0) {
    state.hasLooked = false;
    const reused = new Set(outcomes.reused);
    const hits = decision.request.filter((seq) => reused.has(seq));
    state.resultsFirst = 2 * hits.length >= decision.request.length;
  }
  const finished = finishedIn(outcomes);
  if (state.search && finished > 0) {
    state.search.isDue = true;
    state.search.finished += finished;
  }
  state.finishedAt = [...state.finishedAt, [now, finished] as [number, number]].slice(-LAST_TICKS);
  return results[0]?.proposed;
}

/**
 * The number of runs of a tick that have to finish, so that the search or the selection can continue in the activity of
 * the tick; undefined if it cannot.
 */
function neededOf(
  { search, schedule, total, new: fresh, reused, failed }: CampaignState,
  { request }: Decision,
): number | undefined {
  if (!search || search.isOver || search.step === 'size' || schedule.isHeld) return undefined;
  const open = total - fresh - reused - failed;
  const isAllRequested = open <= schedule.flights.length + request.length;
  if (search.step === 'replications' || search.needs === null) return open;
  // while runs wait to be requested, the search rarely asks for more points
  return isAllRequested ? Math.min(open, Math.max(1, search.needs - search.finished)) : undefined;
}

/**
 * Continues the search, the selection or the growing design of a campaign, if a step is due. A selection and a growing
 * design decide only when all runs have finished.
 *
 * @param proposed - the answer of the search in the last tick
 */
export async function continueSearch({ address, state }: Context, proposed?: Proposed): Promise<void> {
  if (proposed) return addProposed(state, proposed, Date.now());
  const { search, schedule } = state;
  if (!search || search.isOver || schedule.isHeld) return;
  const now = Date.now();
  if (!isFinished(schedule)) {
    if (!search.isDue || search.step !== 'points') return;
    // the points of a search do not depend on the times of its steps (except in free order), so fewer steps do as well
    const isEarly = now - search.proposedAt < SEARCH_WAIT_MS;
    if (isEarly && (hasWork(schedule, now) || search.finished < (search.needs ?? 0))) return;
  }
  if (isStillAfterRetry(state)) {
    search.isOver = true;
    return;
  }
  const summaries: Record<Step, string> = {
    points: `search, ${search.asked} points asked for`,
    replications: 'compare the points',
    size: 'judge the intervals',
  };
  const summary = summaries[search.step];
  addProposed(state, await activities.propose.executeWithOptions({ summary }, [address]), now);
}

/** Adds the runs that the search asked for, and records the time when it asked. */
function addProposed(state: CampaignState, proposed: Proposed, proposedAt: number): void {
  const { schedule } = state;
  const search = state.search!;
  const { added, points, asked, isOver, isDue = false, needs = null, refusal = null } = proposed;
  addWork(schedule, added);
  state.total += added.count;
  state.points = points;
  Object.assign(search, { isOver, isDue, asked, proposedAt, finished: 0, needs: isDue ? 0 : needs, refusal });
  if (refusal !== null) wish(state, 'pause', `paused because the search cannot continue: ${refusal}`);
  if (added.count > 0) schedule.tickAt = Math.min(schedule.tickAt, Date.now());
}

/**
 * When all known runs have finished, asks the store once for other waiting runs: an activity may have added them and
 * died before its answer.
 *
 * @throws ApplicationFailure SEARCH_STUCK if the store has none, and a search waits for runs
 */
export function lookForMore({ state }: Context): void {
  const { schedule, search, precision } = state;
  const mayLack = search ? !search.isOver && search.refusal === null : precision !== null;
  if (!mayLack || schedule.isHeld || !isFinished(schedule)) return;
  if (!state.hasLooked) {
    state.hasLooked = true;
    startOver(schedule, Date.now());
  } else if (search)
    throw ApplicationFailure.nonRetryable('The search waits for runs, but no run is open.', 'SEARCH_STUCK');
}

function summaryOf({ request, poll, expire }: Decision): string {
  const more = expire.length > 0 ? `, give up ${expire.length}` : '';
  return `request ${request.length}, poll ${poll.length}${more}`;
}

function chunksOf({ request, poll, expire }: Decision): Decision[] {
  const count = Math.ceil((request.length + poll.length + expire.length) / CHUNK);
  const share = (seqs: number[], at: number): number[] =>
    seqs.slice(Math.floor((at * seqs.length) / count), Math.floor(((at + 1) * seqs.length) / count));
  return Array.from({ length: count }, (_, at) => ({
    request: share(request, at),
    poll: share(poll, at),
    expire: share(expire, at),
  }));
}

function merged(results: AdvanceResult[]): AdvanceResult {
  const outcomes = emptyOutcomes();
  const added = { count: 0, seqs: [] as number[] };
  const all: AdvanceResult = { outcomes, retryAfter: 0, failures: [], causes: [], added, precision: null };
  for (const result of results) {
    for (const [name, seqs] of Object.entries(result.outcomes))
      outcomes[name as 'new'].push(...(seqs as number[]));
    all.retryAfter = Math.max(all.retryAfter, result.retryAfter);
    all.failures.push(...result.failures);
    addCauses(all.causes, result.causes);
    added.count += result.added.count;
    added.seqs.push(...seqsAdded(result.added));
    if (result.precision) all.precision = later(all.precision, result.precision);
  }
  return all;
}

/** The later of two reports of parallel activities: the one with a higher count. */
function later(one: PrecisionProgress | null, other: PrecisionProgress): PrecisionProgress {
  const decided = ({ precise, imprecise }: PrecisionProgress): number => precise + imprecise;
  const isLater = !one || other.judged > one.judged || decided(other) > decided(one);
  return isLater ? other : one;
}
