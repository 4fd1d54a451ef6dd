import { hasWork } from './backlog.ts';
import { chanceFinished, type Flight, isQueued, QUEUED } from './flight.ts';
import { durationsOf, learn, newLifeTable } from './life-table.ts';
import { updateOccupancy, expectedRunning, survivors } from './occupancy.ts';
import { areShort, SHORTEST_LOOK, toPoll } from './poll-timing.ts';
import { expectedStarts, learnRate, measureQueue, queueAim, roomIn } from './queue-aim.ts';
import {
  type Decision,
  FIRST_BURST,
  type Outcomes,
  type Schedule,
  seqsAgain,
  seqsOf,
  SHORTEST_TICK,
} from './state.ts';
import { expiresAt, nextTick } from './next-tick.ts';

export { type AddedRuns, addWork, seqsAdded, startOver, addPage, hasWork } from './backlog.ts';
export { type CarriedSchedule, packed, unpacked } from './carried.ts';
export { needsWork } from './queue-aim.ts';
export {
  type Decision,
  emptyOutcomes,
  finishedIn,
  isFinished,
  MOST_FLIGHTS,
  newSchedule,
  type Outcomes,
  type Schedule,
} from './state.ts';
export { wakeIn } from './next-tick.ts';

const LONGEST_PATIENCE = 60_000;

const PATIENCE_GROWTH = 1.5;

/**
 * A tick is a surprise if more flights have finished than this multiple of the expected number plus this number. A Poisson
 * variable is as large with a probability of at most 0.5 %. A wrong surprise costs a few short ticks.
 */
const SURPRISE = { factor: 2, least: 3 };

/**
 * The expected number of flights that are RUNNING at the service. The other flights count as queued. Flights that have
 * probably finished since the last look do not count as running.
 */
export function inFlight(schedule: Schedule, now: number): { running: number; queued: number } {
  const { flights, hazard, measuredAt, occupancy } = schedule;
  const durations = durationsOf(hazard);
  const started = flights.filter((flight) => !isQueued(flight));
  const queue = flights.length - started.length - expectedStarts(schedule, measuredAt, now);
  // while runs are queued, each run that finishes is replaced by one that starts
  const unfinished = Math.max(0, queue) + survivors(started, durations, now);
  const running = Math.round(
    Math.min(expectedRunning(occupancy, started, durations, measuredAt), unfinished),
  );
  return { running, queued: flights.length - running };
}

/** The number of flights that the scheduler wants at the moment. */
export function windowOf(schedule: Schedule, now: number): number {
  return schedule.flights.length + roomIn(schedule, now);
}

/** Decides what to do now: which runs to request, to poll and to give up. */
export function decide(schedule: Schedule, now: number): Decision {
  const request: number[] = [];
  if (schedule.againAt <= now) {
    const room = roomIn(schedule, now);
    const due = schedule.postponed.filter(({ at }) => at <= now).map(({ seq }) => seq);
    request.push(...[...due, ...schedule.again].slice(0, room));
    const last = Math.min(schedule.total, schedule.next + room - request.length);
    for (let seq = schedule.next; seq < last; seq += 1) request.push(seq);
  }
  const expire = seqsOf(schedule.flights.filter((flight) => now >= expiresAt(schedule, flight)));
  const expired = new Set(expire);
  return { request, poll: toPoll(schedule, now).filter((seq) => !expired.has(seq)), expire };
}

/**
 * Updates the schedule by the outcomes of a decision. `retryAfter` is the pause that the service asked for, ms; 0 for
 * none.
 */
export function applyOutcomes(
  schedule: Schedule,
  { request }: Pick<Decision, 'request'>,
  outcomes: Outcomes,
  now: number,
  retryAfter = 0,
): void {
  for (const seq of request) schedule.next = Math.max(schedule.next, seq + 1);
  const asked = new Set(request);
  schedule.again = schedule.again.filter((seq) => !asked.has(seq));
  schedule.postponed = schedule.postponed.filter(({ seq }) => !asked.has(seq));
  for (const [seq, delay] of outcomes.again) schedule.postponed.push({ seq, at: now + delay });

  schedule.lateness = now - schedule.tickAt;
  const wasSaturated = schedule.isSaturated;
  const queue = schedule.flights.filter(isQueued);
  const started = measureQueue(schedule, outcomes, now);
  const looks = {
    queue,
    started: schedule.flights.filter((flight) => !isQueued(flight)),
    ...seenIn(outcomes),
  };
  updateOccupancy(schedule.occupancy, looks, durationsOf(schedule.hazard), now);
  const finished = updateFlights(schedule, outcomes, now);
  const isLate = outcomes.later.length > 0;
  schedule.again.push(...outcomes.later.filter((seq) => asked.has(seq)));

  if (wasSaturated) learnRate(schedule, started, now);
  schedule.burst = nextBurst(schedule, finished, now);
  if (isLate) {
    // the service may be overloaded: request fewer runs, after a pause
    schedule.startRate /= 2;
    schedule.burst = FIRST_BURST;
  }
  schedule.patience =
    finished > 0 ? SHORTEST_TICK : Math.min(LONGEST_PATIENCE, schedule.patience * PATIENCE_GROWTH);
  if (isLate) schedule.againAt = Math.max(schedule.againAt, now + Math.max(retryAfter, schedule.patience));
  schedule.measuredAt = now;
  const next = isStarved(schedule, now) ? now : nextTick(schedule, now);
  const isUnsure = !wasSaturated && mayStarve(schedule, now);
  schedule.tickAt = Math.max(now + retryAfter, isUnsure ? Math.min(next, now + SHORTEST_LOOK) : next);
}

/** How many runs to request at once from now on, while the service is not saturated. */
function nextBurst(schedule: Schedule, finished: number, now: number): number {
  const { isSaturated, startRate, flights, burst } = schedule;
  if (isSaturated) return FIRST_BURST;
  // a tick that had nothing to request does not show how much the service could have executed
  const least = hasWork(schedule, now) ? FIRST_BURST : burst;
  // executors may be idle, and the rate of starts is unknown: double the flights, and add twice the runs that finished
  if (startRate === 0) return Math.max(least, flights.length + 2 * finished);
  return Math.max(least, Math.round(queueAim(schedule, now) + flights.length / 2 + finished));
}

/**
 * True when short runs are queued and more can be requested. If the queue was empty before, the rate of starts is not
 * known yet, so the next look comes soon.
 */
function mayStarve(schedule: Schedule, now: number): boolean {
  const { concurrency, isSaturated, againAt } = schedule;
  return (
    concurrency === 'auto' && isSaturated && againAt <= now && areShort(schedule) && hasWork(schedule, now)
  );
}

/**
 * True when the queue is far below its aim, because the tick waited for the outcome of its requests. Then the next tick
 * is due immediately.
 */
function isStarved(schedule: Schedule, now: number): boolean {
  const { isSaturated, concurrency, startRate, againAt } = schedule;
  if (concurrency !== 'auto' || !isSaturated || startRate === 0 || againAt > now) return false;
  return hasWork(schedule, now) && roomIn(schedule, now) > queueAim(schedule, now) / 2;
}

/**
 * Whether far more flights have finished than the life table expects, for example because the service was held up for a
 * while, or because long runs came first. Then the table does not hold any more: with its long ticks, it would learn
 * about short runs only slowly.
 */
function areMuchShorter(
  { hazard }: Schedule,
  finished: readonly Flight[],
  running: readonly Flight[],
  now: number,
): boolean {
  const durations = durationsOf(hazard);
  if (!durations || finished.length <= SURPRISE.least) return false;
  const chances = [...finished, ...running].map((flight) => chanceFinished(flight, durations, now));
  const expected = chances.reduce((sum, chance) => sum + chance, 0);
  return finished.length > SURPRISE.factor * expected + SURPRISE.least;
}

/** Removes finished flights, and adds requested flights. Returns how many flights finished. */
function updateFlights(schedule: Schedule, outcomes: Outcomes, now: number): number {
  const flights = new Map(schedule.flights.map((flight) => [flight.seq, flight]));
  const finished = [...outcomes.new, ...outcomes.reused, ...outcomes.failed, ...seqsAgain(outcomes)];
  const looked = (seqs: readonly number[]): Flight[] =>
    seqs.flatMap((seq) => flights.get(seq) ?? []).filter((flight) => !isQueued(flight));
  if (areMuchShorter(schedule, looked(finished), looked(outcomes.running), now))
    schedule.hazard = newLifeTable();
  for (const seq of finished) {
    const flight = flights.get(seq);
    flights.delete(seq);
    if (!flight || isQueued(flight)) continue;
    // the duration of a run that was given up is unknown
    const isThrough = now < expiresAt(schedule, flight);
    learn(schedule.hazard, flight.lookedAt - flight.startedAt, now - flight.startedAt, isThrough);
  }
  for (const seq of outcomes.running) {
    const flight = flights.get(seq);
    if (!flight) flights.set(seq, { seq, startedAt: now, lookedAt: now });
    else if (!isQueued(flight)) {
      learn(schedule.hazard, flight.lookedAt - flight.startedAt, now - flight.startedAt, false);
      flight.lookedAt = now;
    }
  }
  for (const seq of outcomes.queued) {
    const flight = flights.get(seq);
    if (flight) Object.assign(flight, { startedAt: QUEUED, lookedAt: now });
    else flights.set(seq, { seq, startedAt: QUEUED, lookedAt: now });
  }
  schedule.flights = [...flights.values()];
  return finished.length;
}

/** The flights that a tick looked at, and those that it found RUNNING. */
function seenIn(outcomes: Outcomes): { polled: Set<number>; running: Set<number> } {
  const { running, queued, reused, failed } = outcomes;
  return {
    polled: new Set([...running, ...queued, ...outcomes.new, ...reused, ...failed, ...seqsAgain(outcomes)]),
    running: new Set(running),
  };
}
