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

/**
 * Carries out a computation that yields now and then. Other work gets a turn when it is time.
 *
 * @throws the reason of the signal when it is aborted; the errors of the computation
 */
export async function inTurns<T>(computation: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  const turn = turns();
  for (;;) {
    signal?.throwIfAborted();
    const { done, value } = computation.next();
    if (done) return value;
    await turn();
  }
}
