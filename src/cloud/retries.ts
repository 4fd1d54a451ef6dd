import { setTimeout as delay } from 'node:timers/promises';
import { type CloudError, isCloudError } from './errors.ts';

interface RetryOptions {
  /** The maximum number of attempts in all. */
  attempts: number;
  /** The delay after the first attempt, ms. It doubles after each further attempt. The service may ask for a longer one. */
  firstDelay: number;
  /** Whether another attempt may succeed after this error. */
  mayRetry: (error: CloudError) => boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Repeats a request while it fails with an error that may pass. The command line and the server repeat all requests
 * (client/settings.ts has the number of attempts). Activities repeat only requests for outputs and output files,
 * because Temporal retries the activities themselves (workflows/tick.ts, activities/activity-failure.ts).
 *
 * @throws the error of the last attempt
 */
export async function withRetries<T>(
  request: () => Promise<T>,
  { attempts, firstDelay, mayRetry, signal }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      if (!isCloudError(error) || !mayRetry(error) || attempt >= attempts) throw error;
      const wait = Math.max(error.retryAfter, firstDelay * 2 ** (attempt - 1));
      await delay(wait, undefined, { ...(signal && { signal }) });
    }
  }
}
