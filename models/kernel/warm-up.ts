import type { Simulation } from './simulation.ts';

/** The priority of an event that happens before all other events at the same time. */
const FIRST = -(2 ** 31);

/** Resets statistics at a time, so that they leave out the start, when the system is emptier than later. */
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
