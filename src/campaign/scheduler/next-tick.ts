import { capacity, hasWork } from './backlog.ts';
import { type Flight, isQueued } from './flight.ts';
import { type Durations, durationsOf } from './life-table.ts';
import {
  AT_THE_END,
  dueAtTheEnd,
  isDueForRefill,
  isRefilled,
  isShort,
  LONGEST_TICK,
  REFILL,
  SHORTEST_LOOK,
  shortestRefill,
} from './poll-timing.ts';
import { type Schedule, SHORTEST_TICK } from './state.ts';

/**
 * A tick (one step of the workflow of a campaign) costs about a dozen events of the workflow's history. If this many
 * runs finish in a tick, a run costs less than one event.
 */
const RUNS_A_TICK = 27;

/**
 * The limits of the length of a tick, in mean durations of a run. `least` and `most` are the usual limits. `ofFew` is
 * the upper limit with few executors. A shorter tick costs more events, and a longer tick finds results later.
 */
const TICK_SHARES = { least: 0.2, most: 0.8, ofFew: 2.25 };

/**
 * If fewer runs than this finish in the longest usual tick, there are few executors. Ticks are then longer, so that
 * this number of runs finishes in a tick. But a tick takes at most `ofFew` mean durations.
 */
const FEWEST_RUNS_A_TICK = 5;

/** Milliseconds until the next tick is due; 0 when it is due now. */
export function wakeIn({ tickAt }: Schedule, now: number): number {
  return Math.max(0, tickAt - now);
}

/**
 * The time at which a flight (a requested run that has not finished) has run for too long; Infinity if it is queued or
 * has no limit.
 */
export function expiresAt({ runTimeout }: Schedule, flight: Flight): number {
  return runTimeout === null || isQueued(flight) ? Infinity : flight.startedAt + runTimeout;
}

/** The usual length of a tick, ms. */
export function tickLength(schedule: Schedule, now: number): number {
  const { hazard, flights } = schedule;
  const durations = durationsOf(hazard);
  if (!durations) {
    // The tick is half the age of the oldest running run, so that a few looks are enough to see it finish. While no run is
    // running, `patience` stands for the age: it grows as long as nothing finishes.
    const oldest = flights.find((flight) => !isQueued(flight));
    const shortest = schedule.againAt <= now ? SHORTEST_LOOK : SHORTEST_TICK;
    const age = oldest ? now - oldest.startedAt : schedule.patience - SHORTEST_TICK;
    return Math.min(LONGEST_TICK, Math.max(shortest, age / 2));
  }
  const { least, most, ofFew } = TICK_SHARES;
  const runsAtOnce = Math.max(1, startedIn(flights));
  const share = isOnFew(schedule)
    ? Math.min(ofFew, FEWEST_RUNS_A_TICK / runsAtOnce)
    : Math.min(most, Math.max(least, RUNS_A_TICK / runsAtOnce));
  return Math.min(LONGEST_TICK, Math.max(SHORTEST_TICK, durations.mean * share));
}

/** True when so few runs run at once that ticks are longer than usual. */
export function isOnFew({ flights }: Schedule): boolean {
  return startedIn(flights) * TICK_SHARES.most < FEWEST_RUNS_A_TICK;
}

function startedIn(flights: readonly Flight[]): number {
  return flights.length - flights.filter(isQueued).length;
}

/** The time of the next tick: the earliest time at which a run can be requested, polled or given up. */
export function nextTick(schedule: Schedule, now: number): number {
  const notYetDue = schedule.isHeld ? [] : schedule.postponed.filter(({ at }) => at > now);
  const expiries = schedule.flights.map((flight) => expiresAt(schedule, flight));
  const requests = notYetDue.map(({ at }) => Math.max(at, schedule.againAt));
  const earliest = Math.min(Infinity, ...requests, ...expiries);
  const isIdle = schedule.flights.length === 0 && !hasWork(schedule, now);
  if (isIdle && earliest < Infinity) return earliest;
  return Math.min(nextLook(schedule, now), Math.max(earliest, now + SHORTEST_TICK));
}

/** The next time to poll or request runs. It is now if nothing is left to do, so that the campaign can end. */
function nextLook(schedule: Schedule, now: number): number {
  const { concurrency, flights, hazard } = schedule;
  if (flights.length === 0 && !hasWork(schedule, now)) return now;
  if (hasWork(schedule, now)) {
    const looks = isRefilled(schedule) ? nextRefill(schedule, now) : now + tickLength(schedule, now);
    // open and postponed runs have all places, and only a postponed run that becomes due can give one back without a look
    if (capacity(schedule, now) === 0) return flights.length === 0 ? Infinity : looks;
    if (schedule.againAt > now)
      return flights.length === 0 ? schedule.againAt : Math.min(schedule.againAt, looks);
    const mayBeIdle = concurrency === 'auto' ? !schedule.isSaturated : flights.length < concurrency;
    return mayBeIdle || flights.length === 0 ? now : looks;
  }
  const durations = durationsOf(hazard);
  if (!durations) return now + tickLength(schedule, now);
  if (flights.some(isQueued))
    return now + Math.min(tickLength(schedule, now), drainTime(schedule, durations));
  // only the last flights are left: look when the first of them is due
  const first = Math.min(...flights.map((flight) => dueAtTheEnd(flight, durations)));
  return Math.max(first, now + Math.max(SHORTEST_LOOK, durations.mean * AT_THE_END.shortest));
}

/** The time of the next look at the flights of a campaign that refills the places of finished runs. */
function nextRefill(schedule: Schedule, now: number): number {
  const { flights, hazard, startRate } = schedule;
  const durations = durationsOf(hazard);
  if (!durations) return now + tickLength(schedule, now);
  const shortest = shortestRefill(durations);
  const queued = flights.filter(isQueued).length;
  if (queued > 0) {
    const untilEmpty = startRate > 0 ? (queued / startRate) * 1_000 : 0;
    return now + Math.min(tickLength(schedule, now), Math.max(shortest, untilEmpty));
  }
  const isDueAt = (time: number): boolean =>
    flights.some((flight) => isDueForRefill(flight, durations, time));
  const last = now + REFILL.longest * shortest;
  let at = now + shortest;
  while (at < last && !isDueAt(at)) at += shortest / 2;
  return at;
}

/**
 * The time until the last run of the queue has probably started, plus a mean duration (250 ms for short runs), ms.
 * Infinity if the rate of starts is unknown.
 */
function drainTime({ flights, startRate }: Schedule, durations: Durations): number {
  if (startRate === 0) return Infinity;
  const last = isShort(durations) ? SHORTEST_LOOK : durations.mean;
  return (flights.filter(isQueued).length / startRate) * 1_000 + last;
}
