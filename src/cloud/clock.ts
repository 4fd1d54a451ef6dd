/** The time limit of the request, ms. */
const ANSWER_MS = 5_000;
/** Clocks that differ by less than this agree, ms. The Date header has whole seconds, and is a moment old. */
export const SAME_TIME_MS = 10_000;

/**
 * How far a server's clock is ahead of this machine's clock, ms. Undefined if the server does not answer or does not
 * send its time.
 */
export async function clockAhead(url: string): Promise<number | undefined> {
  try {
    const before = Date.now();
    const response = await fetch(url, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const time = Date.parse(response.headers.get('date') ?? '');
    return Number.isNaN(time) ? undefined : time - (before + Date.now()) / 2;
  } catch {
    return undefined;
  }
}
