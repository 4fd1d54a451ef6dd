/** No service means to be left alone for longer, and timers stop at 24 days. */
const LONGEST_MS = 24 * 3_600_000;

/**
 * Milliseconds that a Retry-After header asks for: seconds or an HTTP date (RFC 9110, 10.2.3); 0 without one or when it
 * makes no sense, a day at most.
 */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(LONGEST_MS, Number(text) * 1_000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.min(LONGEST_MS, Math.max(0, date - now));
}
