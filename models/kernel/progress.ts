import type { Simulation } from './simulation.ts';

/** The number of reports of progress in a run. */
const PARTS = 100;

/**
 * Carries out events until a time, like {@link Simulation.run}. It reports the share of the time that has passed; the
 * last report is 1.
 */
export function runWithProgress(
  simulation: Simulation,
  until: number,
  progress: (fraction: number) => void,
): void {
  const start = simulation.now;
  for (let part = 1; part <= PARTS; part++) {
    // the last part ends exactly at `until`, despite rounding
    simulation.run(part < PARTS ? start + ((until - start) * part) / PARTS : until);
    progress(part / PARTS);
  }
}
