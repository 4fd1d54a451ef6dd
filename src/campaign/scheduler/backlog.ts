import { type Schedule, seqsOf } from './state.ts';

/**
 * The value of `Schedule.more` before the first page. The scheduler reads waiting runs from the store in pages, and a
 * page begins after the seq (place in the order of work) in `Schedule.more`.
 */
const BEGINNING = -1;

/**
 * The maximum number of seqs in `again` after runs were added. If there would be more, the runs are read from the
 * store.
 */
const MOST_NAMED = 2_000;

/**
 * Makes the scheduler read all waiting runs from the store again. It requests them in the order of the store, after the
 * runs that `again` already has. This is needed when the store may have other waiting runs than the schedule.
 */
export function startOver(schedule: Schedule, now: number): void {
  // no run is requested without the store any more
  schedule.next = schedule.total;
  schedule.postponed = [];
  schedule.more = BEGINNING;
  schedule.tickAt = Math.min(schedule.tickAt, now);
}

/** Adds a page of waiting runs from the store, in the order of seq. An empty page is the last page. */
export function addPage(schedule: Schedule, seqs: readonly number[]): void {
  const known = new Set([
    ...schedule.again,
    ...schedule.postponed.map(({ seq }) => seq),
    ...seqsOf(schedule.flights),
  ]);
  schedule.again.push(...seqs.filter((seq) => !known.has(seq)));
  schedule.more = seqs.at(-1) ?? null;
}

/**
 * Runs that were added to the campaign: their number, and their seqs. For consecutive seqs, `first` has the first one
 * and `seqs` is empty.
 */
export interface AddedRuns {
  count: number;
  /** The seqs of the runs. Also empty if there are too many to list. */
  seqs: number[];
  first?: number;
}

export function seqsAdded({ count, seqs, first }: AddedRuns): number[] {
  return first === undefined ? seqs : Array.from({ length: count }, (_, at) => first + at);
}

/**
 * Adds runs to the campaign. The scheduler reads the runs from the store if `added` does not list all their seqs, or if
 * `again` would become too long.
 */
export function addWork(schedule: Schedule, added: AddedRuns): void {
  const { count } = added;
  if (count === 0) return;
  const seqs = seqsAdded(added);
  const areListed = seqs.length === count && schedule.again.length + count <= MOST_NAMED;
  // if the store is still being read, its last pages contain the added runs
  if (schedule.more === null && areListed) schedule.again.push(...seqs);
  else schedule.more ??= BEGINNING;
}

/** True when there is a run to request. */
export function hasWork({ isHeld, again, postponed, more, next, total }: Schedule, now: number): boolean {
  const hasWaiting = again.length > 0 || more !== null || next < total;
  return !isHeld && (hasWaiting || postponed.some(({ at }) => at <= now));
}

/**
 * How many more flights and postponed runs are allowed. Postponed runs that are due do not count, because they become
 * flights now.
 */
export function capacity(schedule: Schedule, now: number): number {
  const { flights, postponed, mostFlights } = schedule;
  return Math.max(0, mostFlights - flights.length - postponed.filter(({ at }) => at > now).length);
}
