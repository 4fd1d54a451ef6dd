import type { Durations } from './life-table.ts';

/**
 * A requested run whose end was not seen yet. `seq` is its place in the campaign's order of work. `startedAt` is
 * negative while the run is believed queued. `lookedAt` is the time of the last look: the last time at which the run is
 * known to have been unfinished.
 */
export interface Flight {
  seq: number;
  startedAt: number;
  lookedAt: number;
}

/** The `startedAt` of a flight that is believed queued. */
export const QUEUED = -1;

export function isQueued({ startedAt }: Flight): boolean {
  return startedAt < 0;
}

/** Whether nobody has looked at a flight since it started. */
export function isUnseen({ startedAt, lookedAt }: Flight): boolean {
  return lookedAt === startedAt;
}

/** The chance that a flight, which was unfinished at its last look, has finished by a given time. */
export function chanceFinished(
  { startedAt, lookedAt }: Flight,
  { hazardAt }: Durations,
  time: number,
): number {
  return 1 - Math.exp(hazardAt(lookedAt - startedAt) - hazardAt(time - startedAt));
}
