import type { Durations } from './life-table.ts';

/**
 * A requested run whose end was not seen yet. `startedAt` is negative while the run is believed queued. At `lookedAt`
 * the run was seen, or is known, to be unfinished.
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

/** The chance that a flight has finished by a time, since it was last known to run. */
export function chanceFinished(
  { startedAt, lookedAt }: Flight,
  { hazardAt }: Durations,
  time: number,
): number {
  return 1 - Math.exp(hazardAt(lookedAt - startedAt) - hazardAt(time - startedAt));
}
