import type { Durations } from './life-table.ts';

/**
 * A run that is requested and has not been seen to finish. `startedAt` is negative while it is believed queued; until
 * `lookedAt` it was seen, or is known, not to have finished.
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
