import { ApplicationFailure } from '@temporalio/common';
import type { NoticeCall } from '../campaign/notice.ts';
import type { Campaign } from '../campaign/types.ts';
import { callNotice } from '../notices/call.ts';
import { noticeOf } from '../notices/file.ts';
import type { World } from './types.ts';

/**
 * The maximum number of notices that a worker calls at once. A receiver that does not answer would otherwise take the
 * places of campaigns.
 */
const MOST_AT_ONCE = 4;
/** How long a call waits if the worker already makes so many, ms. */
const TURN_MS = { least: 1_000, most: 3_000 };

let calls = 0;

/**
 * Calls a notice once.
 * @throws ForayError NOTICES_INVALID, UNKNOWN_NOTICE; ApplicationFailure NOTICE_FAILED. Temporal calls the notice again
 */
export async function notify(
  { notices }: Pick<World, 'notices'>,
  { name, message }: NoticeCall,
  signal: AbortSignal,
): Promise<void> {
  const notice = noticeOf(notices, name);
  if (calls >= MOST_AT_ONCE) {
    const nextRetryDelay = TURN_MS.least + Math.random() * (TURN_MS.most - TURN_MS.least);
    throw failed(`The notice "${name}" waits until the worker has made other calls.`, nextRetryDelay);
  }
  calls += 1;
  try {
    const failure = await callNotice(notice, message, signal);
    if (failure) throw failed(`The notice "${name}" ${failure.why}.`, failure.retryAfter);
  } finally {
    calls -= 1;
  }
}

/** @param delay - the wait until the next call, ms; 0 leaves it to Temporal */
function failed(message: string, delay: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'NOTICE_FAILED',
    message,
    ...(delay > 0 && { nextRetryDelay: delay }),
  });
}

/**
 * Checks that the worker has the notices of a campaign, so that a misspelt name shows at the start and not at the end.
 * @throws ForayError NOTICES_INVALID, UNKNOWN_NOTICE
 */
export function checkNotices({ notices }: World, { notify: names = [] }: Campaign): void {
  for (const name of names) noticeOf(notices, name);
}
