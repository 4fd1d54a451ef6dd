import { setImmediate as breath } from 'node:timers/promises';

/** A computation gives other work a turn after this time, ms. */
const LONGEST_MS = 20;

/** Returns a function that a long computation calls again and again. It gives other work a turn when it is time. */
export function turns(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < LONGEST_MS) return;
    await breath();
    since = performance.now();
  };
}
