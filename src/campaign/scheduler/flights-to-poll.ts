import { hasWork } from './backlog.ts';
import { chanceFinished, type Flight, isQueued } from './flight.ts';
import { durationsOf } from './life-table.ts';
import { type Schedule, seqsOf, SHORTEST_TICK } from './state.ts';
import { dueAtTheEnd, isDueForRefill, isRefilled, isShort, SHORTEST_LOOK } from './next-tick.ts';

/** A flight is polled when the probability that it has finished since the last look is at least this. */
const CHANCE = 0.45;

/** Number of queued flights that a tick polls. */
const PROBES = 6;

/** Number of flights that a tick polls while no duration is known. */
const FIRST_SAMPLE = 10;

/** Number of flights that a tick polls while only a few durations are known. */
const SECOND_SAMPLE = 30;

export function toPoll(schedule: Schedule, now: number): number[] {
  const durations = durationsOf(schedule.hazard);
  // a flight that was RUNNING a moment ago is not polled
  const isLast = schedule.isSparing && durations && isShort(durations) && !hasWork(schedule, now);
  const moment = isLast ? SHORTEST_LOOK : SHORTEST_TICK;
  const running = schedule.flights.filter(
    (flight) =>
      !isQueued(flight) && (flight.lookedAt === flight.startedAt || now - flight.lookedAt >= moment),
  );
  const probes = spread(schedule.flights.filter(isQueued), PROBES);
  if (!durations) {
    const sample = schedule.hazard.finished === 0 ? FIRST_SAMPLE : SECOND_SAMPLE;
    return seqsOf([...spread(running, sample), ...probes]);
  }
  const isDue = (flight: Flight): boolean => {
    if (!hasWork(schedule, now)) return now >= dueAtTheEnd(schedule, flight, durations);
    if (isRefilled(schedule)) return isDueForRefill(flight, durations, now);
    return chanceFinished(flight, durations, now) >= CHANCE;
  };
  return seqsOf([...running.filter(isDue), ...probes]);
}

/** Up to `count` items at equal distances, including the first and the last one. */
function spread<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from(
    { length: count },
    (_, at) => items[Math.round((at * (items.length - 1)) / (count - 1))]!,
  );
}
