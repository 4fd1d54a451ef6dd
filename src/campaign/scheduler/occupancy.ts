import { chanceFinished, type Flight } from './flight.ts';
import type { Durations } from './life-table.ts';

/**
 * How far the number of flights that the life table lets expect to run agrees with what polls see RUNNING: two sums over
 * ticks, in which older ones fade. Runs that are shorter than a tick finish long before they are polled. The life table
 * knows only that their durations are shorter than a tick, so it expects far too many of them to run.
 */
export interface Occupancy {
  /** Flights that polls saw RUNNING, each weighted by the number of flights that it stands for. */
  seen: number;
  /** Flights that the life table let expect to run at the same moments. */
  expected: number;
  /** As many run at once lately, at most. */
  level: number;
}

/** What a tick leaves of the sums of earlier ones, and of the level. */
const MEMORY = 0.95;
/** At first the life table is believed, as if it had once been right about one flight. */
const PRIOR = 1;

export function newOccupancy(): Occupancy {
  return { seen: PRIOR, expected: PRIOR, level: 0 };
}

/** What a tick has seen of flights. */
export interface Looks {
  /** Flights that were believed queued before it, in their order; some were polled at equal distances. */
  queue: readonly Flight[];
  /** Flights that are believed to run after it. */
  started: readonly Flight[];
  /** Seqs of flights that were polled. */
  polled: ReadonlySet<number>;
  /** Seqs that were found RUNNING, those that were requested only now among them. */
  running: ReadonlySet<number>;
}

/** Takes in what a tick has seen. */
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
  let [outside, expected] = [0, 0];
  for (const flight of started) {
    const chance = chanceRunning(flight, durations, now);
    expected += chance;
    if (wasQueued.has(flight)) continue;
    if (!polled.has(flight.seq)) outside += chance;
    else if (running.has(flight.seq)) outside += 1;
  }
  const known = new Set([...queue, ...started].map(({ seq }) => seq));
  const requested = running.difference(known).size;
  outside += requested;
  const seen = outside + gap * found.length;
  // services start runs in the order of request, so those between two that run do so, too
  const atLeast = outside + (found.length > 0 ? found.at(-1)! - found[0]! + 1 : 0);
  occupancy.seen = MEMORY * occupancy.seen + seen;
  occupancy.expected = MEMORY * occupancy.expected + expected + requested;
  occupancy.level = Math.max(atLeast, MEMORY * occupancy.level + (1 - MEMORY) * seen);
}

/** How many of the flights that are believed to run the service is expected to have RUNNING at a time. */
export function expectedRunning(
  { seen, expected, level }: Occupancy,
  started: readonly Flight[],
  durations: Durations | undefined,
  time: number,
): number {
  return Math.min(level, (survivors(started, durations, time) * seen) / expected);
}

/** How many flights that are believed to run the life table lets expect to run at a time. */
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
