import { capacity, hasWork } from './backlog.ts';
import { chanceFinished, type Flight, isQueued } from './flight.ts';
import { type Durations, durationsOf } from './life-table.ts';
import { type Schedule, SHORTEST_TICK } from './state.ts';

const LONGEST_TICK = 900_000;

/** When nothing is left to request, the last run decides the end of the campaign, so it is polled sooner. */
const CHANCE_AT_THE_END = 0.2;

/** A tick costs about a dozen history events. If this many runs finish in it, a run costs less than one event. */
const RUNS_A_TICK = 27;

/** The length of a tick in mean durations. A shorter tick costs more events, a longer one finds results later. */
const TICK_SHARES = { least: 0.2, most: 0.8, atTheEnd: 0.2 };

/** Milliseconds until the next tick is due; 0 when it is. */
export function wakeIn({ tickAt }: Schedule, now: number): number {
  return Math.max(0, tickAt - now);
}

/** When a flight has run for too long. */
export function expiresAt({ runTimeout }: Schedule, flight: Flight): number {
  return runTimeout === null || isQueued(flight) ? Infinity : flight.startedAt + runTimeout;
}

export function tickLength({ hazard, flights }: Schedule, now: number): number {
  const durations = durationsOf(hazard);
  if (!durations) {
    // half the age of the oldest run, so that any duration is found by a few looks
    const oldest = flights.find((flight) => !isQueued(flight))?.startedAt ?? now;
    return Math.min(LONGEST_TICK, Math.max(SHORTEST_TICK, (now - oldest) / 2));
  }
  const { least, most } = TICK_SHARES;
  const runsAtOnce = flights.length - flights.filter(isQueued).length;
  const share = Math.min(most, Math.max(least, RUNS_A_TICK / Math.max(1, runsAtOnce)));
  return Math.min(LONGEST_TICK, Math.max(SHORTEST_TICK, durations.mean * share));
}

/** The time of the next tick: when a run can be requested, polled or given up. */
export function nextTick(schedule: Schedule, now: number): number {
  const due = schedule.isHeld ? [] : schedule.postponed.filter(({ at }) => at > now);
  const expiries = schedule.flights.map((flight) => expiresAt(schedule, flight));
  const asked = due.map(({ at }) => Math.max(at, schedule.againAt));
  const earliest = Math.min(Infinity, ...asked, ...expiries);
  const isIdle = schedule.flights.length === 0 && !hasWork(schedule, now);
  if (isIdle && earliest < Infinity) return earliest;
  return Math.min(nextLook(schedule, now), Math.max(earliest, now + SHORTEST_TICK));
}

function nextLook(schedule: Schedule, now: number): number {
  const { concurrency, flights, hazard } = schedule;
  if (flights.length === 0 && !hasWork(schedule, now)) return now;
  if (hasWork(schedule, now)) {
    const looks = now + tickLength(schedule, now);
    // postponed runs have to become due first
    if (capacity(schedule, now) === 0) return flights.length === 0 ? Infinity : looks;
    const isHungry = concurrency === 'auto' && !schedule.isSaturated;
    if (schedule.againAt > now)
      return flights.length === 0 ? schedule.againAt : Math.min(schedule.againAt, looks);
    return isHungry || flights.length === 0 ? now : looks;
  }
  const durations = durationsOf(hazard);
  if (!durations || flights.some(isQueued)) return now + tickLength(schedule, now);
  // only the last flights are left: look when the first of them is due
  const first = Math.min(...flights.map((flight) => dueAtTheEnd(flight, durations)));
  return Math.max(first, now + Math.max(SHORTEST_TICK, durations.mean * TICK_SHARES.atTheEnd));
}

/** The time at which a flight is polled when nothing is left to request: at most two ticks after the last look. */
export function dueAtTheEnd(flight: Flight, durations: Durations): number {
  const { lookedAt } = flight;
  const shortest = Math.max(SHORTEST_TICK, durations.mean * TICK_SHARES.atTheEnd);
  const longest = Math.min(LONGEST_TICK, 2 * shortest);
  let [low, high] = [0, longest];
  for (let step = 0; step < 16; step += 1) {
    const middle = (low + high) / 2;
    if (chanceFinished(flight, durations, lookedAt + middle) >= CHANCE_AT_THE_END) high = middle;
    else low = middle;
  }
  return lookedAt + high;
}
