import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a condition, and returns its value. The error of a timeout names the condition. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | false | undefined> | T | false | undefined,
  seconds = 120,
): Promise<T> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const value = await probe();
    if (value !== false && value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s in vain until ${what}`);
    await delay(100);
  }
}
