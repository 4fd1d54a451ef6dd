import type { Flight } from './flight.ts';
import { type LifeTable, newLifeTable } from './life-table.ts';
import { newOccupancy, type Occupancy } from './occupancy.ts';

/**
 * The scheduler of a campaign decides which runs to request, which to poll, and when to look again. It is pure: no
 * clock and no I/O. The state is plain JSON, so that it can be carried from one workflow execution to the next; times
 * are ms.
 *
 * The `seq` of a run is its place in the campaign's order of work. A flight is a requested run that has not been seen
 * to finish. The service runs as many as it can and queues the others in the order of request. It does not say how many
 * it can run.
 *
 * The scheduler controls the length of the queue. Each tick it fills the queue up to the runs that will start before
 * the next tick, plus a reserve (an order-up-to policy). Executors then rarely wait, and the queue stays short. A few
 * probes, spread over the flights that are believed queued, measure the queue and tell when each flight started. A
 * flight is polled when it has probably finished since the last look.
 *
 * If `concurrency` is a number, the service may have no queue of this campaign. Then a finished run leaves its place
 * empty until a poll finds the end, so ticks are short, and each empty place is filled immediately.
 *
 * The reserve grows with the square root of the starts in a tick, because their noise grows in the same way. This
 * square root makes two campaigns on one service converge to equal shares: the smaller campaign has the larger reserve
 * for its size.
 */
export interface Schedule {
  /** The most flights, or `auto` to follow the number of runs that the service executes at once. */
  concurrency: number | 'auto';
  /** True while no run may be requested. Flights go on. */
  isHeld: boolean;
  /**
   * The next seq to request in order. It is `total` if none is left, or if the waiting runs are read from the store.
   */
  next: number;
  /** The number of runs at the start of the schedule. Runs that were added later are in `again` or in the store. */
  total: number;
  /** Seqs to request before the seqs from `next` on. */
  again: number[];
  /** No run is requested before this time, because the service did not answer or asked for a pause. */
  againAt: number;
  /** Seqs of runs whose last attempt failed. Each run is requested again at its own time or later. */
  postponed: { seq: number; at: number }[];
  /** The store has more waiting runs after this seq; null if it has none. */
  more: number | null;
  /** A run is given up when it has run for this long, ms; null for never. */
  runTimeout: number | null;
  /** The flights, in the order in which they were requested. */
  flights: Flight[];
  hazard: LifeTable;
  /** The occupancy, for the numbers of running and queued runs in reports. It never changes a decision. */
  occupancy: Occupancy;
  /** Flights that start per second, averaged over the last ticks; 0 while unknown. */
  startRate: number;
  /** When the queue was last measured. */
  measuredAt: number;
  /** True if runs were queued when the queue was last measured. If not, executors may be idle. */
  isSaturated: boolean;
  /** How many runs to request at once while the service is not saturated. */
  burst: number;
  /** When the next tick is due. */
  tickAt: number;
  /** How long after it was due the last tick was done, ms: the lateness of its timer, and the time of its requests. */
  lateness: number;
  /** The wait before unanswered requests are repeated, ms. It grows while nothing finishes. */
  patience: number;
  /** The maximum number of flights and postponed runs together. */
  mostFlights: number;
}

export interface Decision {
  request: number[];
  poll: number[];
  /** Runs that have taken too long and have to be stopped. */
  expire: number[];
}

/** The results of a tick, as seqs. `failed`: no attempt is left. `later`: there is no usable answer, so ask again. */
export interface Outcomes {
  new: number[];
  reused: number[];
  failed: number[];
  queued: number[];
  running: number[];
  later: number[];
  /** Runs whose attempt failed, with the delay before the next attempt, ms. */
  again: [seq: number, delay: number][];
}

export function emptyOutcomes(): Outcomes {
  return { new: [], reused: [], failed: [], queued: [], running: [], later: [], again: [] };
}

export function finishedIn({ new: fresh, reused, failed }: Outcomes): number {
  return fresh.length + reused.length + failed.length;
}

export const FIRST_BURST = 16;

export const SHORTEST_TICK = 1_000;

/**
 * The maximum number of flights and postponed runs together. It keeps 10,000 executors busy, and keeps the carried
 * state below half a megabyte, where Temporal begins to warn.
 */
export const MOST_FLIGHTS = 32_000;

export function newSchedule(
  total: number,
  concurrency: number | 'auto',
  runTimeout: number | null = null,
): Schedule {
  return {
    concurrency,
    isHeld: false,
    next: 0,
    total,
    again: [],
    againAt: 0,
    postponed: [],
    more: null,
    runTimeout,
    flights: [],
    hazard: newLifeTable(),
    occupancy: newOccupancy(),
    startRate: 0,
    measuredAt: 0,
    isSaturated: false,
    burst: FIRST_BURST,
    tickAt: 0,
    lateness: 0,
    patience: SHORTEST_TICK,
    mostFlights: MOST_FLIGHTS,
  };
}

/** True when every run has been requested and has finished. */
export function isFinished(schedule: Schedule): boolean {
  const { again, postponed, more, next, total, flights } = schedule;
  const isRequested = again.length === 0 && postponed.length === 0 && more === null && next >= total;
  return isRequested && flights.length === 0;
}

export function seqsOf(flights: readonly Flight[]): number[] {
  return flights.map(({ seq }) => seq);
}

export function seqsAgain({ again }: Outcomes): number[] {
  return again.map(([seq]) => seq);
}
