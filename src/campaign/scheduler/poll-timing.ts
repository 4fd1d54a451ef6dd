import { hasWork } from './backlog.ts';
import { chanceFinished, type Flight, isQueued, isUnseen } from './flight.ts';
import { type Durations, durationsOf } from './life-table.ts';
import { type Schedule, seqsOf, SHORTEST_TICK } from './state.ts';

/** The longest tick (one step of the workflow of a campaign), ms. */
export const LONGEST_TICK = 900_000;

/** The shortest wait for the first and for the last results, ms. It costs a few ticks per campaign. */
export const SHORTEST_LOOK = 250;

/**
 * A flight (a requested run that has not finished) is polled when the probability that it has finished since the last
 * look is at least this.
 */
const CHANCE = 0.45;

/**
 * When nothing is left to request: the shortest tick in mean durations, and the probability at which a flight is
 * polled. The probability is low, because the last run decides the end of the campaign.
 */
export const AT_THE_END = { shortest: 0.2, chance: 0.2 };

/**
 * For a campaign that refills the places of finished runs. `shortest`: the shortest tick, in mean durations. `longest`:
 * the longest time between two looks at a flight, as a multiple of the shortest tick. `chance`: the probability at
 * which a flight is polled. Shorter ticks lose less time and cost more events. `npm run bench -- scheduler --fixed`
 * measures both.
 */
export const REFILL = { shortest: 0.1, longest: 4, chance: 0.1 };

/** Maximum number of queued flights that a tick polls. */
const PROBES = 6;

/** Maximum number of running flights that a tick polls while no run has finished. */
const FIRST_SAMPLE = 10;

/** Maximum number of running flights that a tick polls while only a few runs have finished. */
const SECOND_SAMPLE = 30;

/** The flights that a tick polls, by seq. next-tick.ts decides when the next tick comes. */
export function toPoll(schedule: Schedule, now: number): number[] {
  const durations = durationsOf(schedule.hazard);
  const isLast = durations && isShort(durations) && !hasWork(schedule, now);
  const moment = isLast ? SHORTEST_LOOK : SHORTEST_TICK;
  // a flight that was RUNNING a moment ago is not polled
  const running = schedule.flights.filter(
    (flight) => !isQueued(flight) && (isUnseen(flight) || now - flight.lookedAt >= moment),
  );
  const probes = spread(schedule.flights.filter(isQueued), PROBES);
  if (!durations) {
    const sample = schedule.hazard.finished === 0 ? FIRST_SAMPLE : SECOND_SAMPLE;
    return seqsOf([...spread(running, sample), ...probes]);
  }
  const isDue = (flight: Flight): boolean => {
    if (!hasWork(schedule, now)) return now >= dueAtTheEnd(flight, durations);
    if (isRefilled(schedule)) return isDueForRefill(flight, durations, now);
    return chanceFinished(flight, durations, now) >= CHANCE;
  };
  return seqsOf([...running.filter(isDue), ...probes]);
}

/**
 * True if a finished run may leave an executor idle until the campaign requests another run. This is so if
 * `concurrency` is a number, because the service may then have no queue of this campaign.
 */
export function isRefilled({ concurrency }: Schedule): boolean {
  return concurrency !== 'auto';
}

/**
 * Whether a flight has finished since its last look with a probability of at least `REFILL.chance`, or its last look
 * was long ago.
 */
export function isDueForRefill(flight: Flight, durations: Durations, time: number): boolean {
  const longest = Math.min(LONGEST_TICK, REFILL.longest * shortestRefill(durations));
  return time - flight.lookedAt >= longest || chanceFinished(flight, durations, time) >= REFILL.chance;
}

/** The shortest tick of a campaign that refills the places of finished runs, ms. */
export function shortestRefill({ mean }: Durations): number {
  return Math.min(LONGEST_TICK, Math.max(SHORTEST_TICK, mean * REFILL.shortest));
}

/**
 * True if the mean run is shorter than the shortest tick. Runs may be much shorter than the life table can know,
 * because the table sees a run at most once a tick.
 */
export function isShort({ mean }: Durations): boolean {
  return mean < SHORTEST_TICK;
}

/** True if the runs are known to be short. */
export function areShort({ hazard }: Schedule): boolean {
  const durations = durationsOf(hazard);
  return durations !== undefined && isShort(durations);
}

/**
 * The time at which a flight is polled when nothing is left to request. It is at most two ticks of the shortest length
 * after the last look.
 */
export function dueAtTheEnd(flight: Flight, durations: Durations): number {
  const { lookedAt } = flight;
  const isFirst = isUnseen(flight);
  if (isShort(durations)) return isFirst ? lookedAt : lookedAt + SHORTEST_LOOK;
  const shortest = Math.max(isFirst ? SHORTEST_LOOK : SHORTEST_TICK, durations.mean * AT_THE_END.shortest);
  const longest = Math.min(LONGEST_TICK, 2 * shortest);
  let [low, high] = [0, longest];
  for (let step = 0; step < 16; step += 1) {
    const middle = (low + high) / 2;
    if (chanceFinished(flight, durations, lookedAt + middle) >= AT_THE_END.chance) high = middle;
    else low = middle;
  }
  return lookedAt + high;
}

/** Up to `count` items at equal distances, including the first and the last one. */
function spread<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from(
    { length: count },
    (_, at) => items[Math.round((at * (items.length - 1)) / (count - 1))]!,
  );
}
