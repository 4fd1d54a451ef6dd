import type { Simulation } from './simulation.ts';

/** Before whatever else happens at a time. */
const FIRST = -(2 ** 31);

/** Begins statistics anew at a time, so that they do not tell of the start, when a system is emptier than it will be. */
export function resetAt(
  simulation: Simulation,
  time: number,
  statistics: readonly { reset(): void }[],
): void {
  const reset = (): void => {
    for (const each of statistics) each.reset();
  };
  simulation.scheduleAt(time, reset, undefined, FIRST);
}
