/** The longest wait, ms: a day. A longer wait is shortened, because Node's timers allow at most 24 days. */
const LONGEST_MS = 24 * 3_600_000;

/** Whether a service asks for fewer requests. `retryAfter` is the wait that its answer asks for, ms. */
export function isThrottled(status: number, retryAfter: number): boolean {
  return status === 429 || (status === 503 && retryAfter > 0);
}

/**
 * The wait that a Retry-After header asks for, in ms, at most a day. The header has seconds or an HTTP date (RFC 9110,
 * 10.2.3). Without a valid header, the wait is 0.
 */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(LONGEST_MS, Number(text) * 1_000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.min(LONGEST_MS, Math.max(0, date - now));
}
