import { CancelledFailure } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { isCloudError } from '../cloud/index.ts';
import { isForayError, messageOf } from '../errors.ts';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;

/**
 * The error that an activity throws. The history gets the type and the message of `error`, but neither its stack nor
 * its cause. Temporal retries the activity, because the cause may disappear (somebody corrects a key, a service comes
 * back). There are two exceptions: an activity that the workflow has cancelled, and a request that the service refuses
 * as wrong, for example because the definition no longer fits the model.
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
    message: isForayError(error) ? error.toLine() : messageOf(error),
    nextRetryDelay: backoff,
  });
}
