import { CancelledFailure } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { isCloudError } from '../cloud/index.ts';
import { isForayError, messageOf } from '../errors.ts';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;

/**
 * What an activity throws: typed, without a stack of ours and without a cause, so that nothing but our own words
 * reaches the history. Everything is retried, as the world may get better (a key may be mended, a service may come
 * back), but for a definition that the service's model no longer fits.
 */
export function failureOf(error: unknown, attempt: number): Error {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  const backoff = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 10));
  if (isCloudError(error)) {
    return ApplicationFailure.create({
      type: error.code,
      message: error.toLine(),
      nonRetryable: error.kind === 'refused',
      nextRetryDelay: Math.max(error.retryAfter, backoff),
    });
  }
  return ApplicationFailure.create({
    type: isForayError(error) ? error.code : 'UNEXPECTED',
    message: messageOf(error),
    nextRetryDelay: backoff,
  });
}
