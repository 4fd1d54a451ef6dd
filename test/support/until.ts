import { setTimeout as delay } from 'node:timers/promises';

/**
 * The time between two probes, in milliseconds. The interval grows during a long wait, because a probe may be costly.
 */
const INTERVAL = { least: 100, most: 250, share: 0.1 };

/** Waits for a condition, and returns its value. The error of a timeout names the condition. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | false | undefined> | T | false | undefined,
  seconds = 120,
): Promise<T> {
  const start = Date.now();
  for (;;) {
    const value = await probe();
    if (value !== false && value !== undefined) return value;
    const waited = Date.now() - start;
    if (waited > seconds * 1_000) throw new Error(`timed out after ${seconds} s while waiting until ${what}`);
    await delay(Math.min(INTERVAL.most, Math.max(INTERVAL.least, INTERVAL.share * waited)));
  }
}
