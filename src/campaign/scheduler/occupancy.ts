import { chanceFinished, type Flight } from './flight.ts';
import type { Durations } from './life-table.ts';

/**
 * Compares two numbers of running flights (a flight is a requested run that has not finished): the one that the life
 * table expects, and the one that polls find. It keeps two sums over ticks, in which older ticks count less and less.
 * Runs that are shorter than a tick finish long before they are polled. The life table knows only that they are shorter
 * than a tick, so it expects far too many of them to run.
 */
export interface Occupancy {
  /**
   * Flights that polls found RUNNING, each weighted by the number of flights that it represents. A started flight that
   * was not polled counts with its chance to run.
   */
  seen: number;
  /** The number of running flights that the life table expects at the same moments. */
  expected: number;
  /** The largest recent number of running flights. */
  level: number;
}

/** The factor by which each tick reduces the sums and the level of earlier ticks. */
const MEMORY = 0.95;
/** The start value of both sums: it counts as one flight about which the life table was right. */
const PRIOR = 1;

export function newOccupancy(): Occupancy {
  return { seen: PRIOR, expected: PRIOR, level: 0 };
}

/** The flights that a tick has seen. */
export interface Looks {
  /**
   * Flights that were believed queued before the tick, in their order. Some of them, at equal distances, were polled.
   */
  queue: readonly Flight[];
  /**
   * Flights that were believed to run before the tick, and flights of `queue` that are now known to have started. Some
   * of them may have finished.
   */
  started: readonly Flight[];
  /** Seqs of flights that were polled. */
  polled: ReadonlySet<number>;
  /** Seqs of flights found RUNNING, including newly requested ones. */
  running: ReadonlySet<number>;
}

/** Adds the observations of a tick. */
export function updateOccupancy(
  occupancy: Occupancy,
  { queue, started, polled, running }: Looks,
  durations: Durations | undefined,
  now: number,
): void {
  const wasQueued = new Set(queue);
  const probed = queue.flatMap(({ seq }, at) => (polled.has(seq) ? [at] : []));
  const found = probed.filter((at) => running.has(queue[at]!.seq));
  const gap = probed.length > 1 ? (queue.length - 1) / (probed.length - 1) : 1;
  let [outsideQueue, expected] = [0, 0];
  for (const flight of started) {
    const chance = chanceRunning(flight, durations, now);
    expected += chance;
    if (wasQueued.has(flight)) continue;
    if (!polled.has(flight.seq)) outsideQueue += chance;
    else if (running.has(flight.seq)) outsideQueue += 1;
  }
  const known = new Set([...queue, ...started].map(({ seq }) => seq));
  const requested = running.difference(known).size;
  outsideQueue += requested;
  const seen = outsideQueue + gap * found.length;
  // services start runs in the order of request, so flights between two running flights run as well
  const atLeast = outsideQueue + (found.length > 0 ? found.at(-1)! - found[0]! + 1 : 0);
  occupancy.seen = MEMORY * occupancy.seen + seen;
  occupancy.expected = MEMORY * occupancy.expected + expected + requested;
  occupancy.level = Math.max(atLeast, MEMORY * occupancy.level + (1 - MEMORY) * seen);
}

/** The expected number of RUNNING flights at a time. */
export function expectedRunning(
  { seen, expected, level }: Occupancy,
  started: readonly Flight[],
  durations: Durations | undefined,
  time: number,
): number {
  return Math.min(level, (survivors(started, durations, time) * seen) / expected);
}

/** The number of running flights that the life table expects at a time. */
export function survivors(
  started: readonly Flight[],
  durations: Durations | undefined,
  time: number,
): number {
  return started.reduce((sum, flight) => sum + chanceRunning(flight, durations, time), 0);
}

function chanceRunning(flight: Flight, durations: Durations | undefined, time: number): number {
  return durations ? 1 - chanceFinished(flight, durations, Math.max(flight.lookedAt, time)) : 1;
}
