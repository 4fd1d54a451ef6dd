import { CancelledFailure } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { isCloudError } from '../cloud/index.ts';
import { isForayError, messageOf } from '../errors.ts';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;

/**
 * The error that an activity throws. It has a type, but no stack and no cause, so that only foray's own words reach the
 * history. Temporal retries every error, because the reason may go away (somebody corrects a key, a service comes
 * back). The only exception is the error of a definition that no longer fits the service's model.
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
