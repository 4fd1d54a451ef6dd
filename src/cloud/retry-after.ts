/** Longest wait, ms. No service means more than a day, and timers end at 24 days. */
const LONGEST_MS = 24 * 3_600_000;

/**
 * The wait in a Retry-After header, in ms and at most a day: seconds or an HTTP date (RFC 9110, 10.2.3). 0 when there
 * is no header or it makes no sense.
 */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(LONGEST_MS, Number(text) * 1_000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.min(LONGEST_MS, Math.max(0, date - now));
}
