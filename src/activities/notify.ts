import { ApplicationFailure } from '@temporalio/common';
import type { NoticeCall } from '../campaign/notice.ts';
import type { Campaign } from '../campaign/types.ts';
import { isForayError } from '../errors.ts';
import { callNotice } from '../notices/call.ts';
import { type Notice, noticeOf } from '../notices/file.ts';
import type { World } from './types.ts';

/**
 * The maximum number of notices that a worker calls at once. A receiver that does not answer would otherwise take the
 * places of campaigns.
 */
const MOST_AT_ONCE = 4;
/** How long a call waits if the worker already makes `MOST_AT_ONCE` calls, ms. */
const TURN_MS = { least: 1_000, most: 3_000 };
/** How long a notice waits after a call that failed, ms. */
const AGAIN_MS = { least: 1_000, most: 600_000 };
/** After this time, ms, a notice whose name the worker does not know is given up. Until then, somebody may add it. */
const UNKNOWN_MS = 300_000;
/** Since when this worker has not found a name at any call, ms of a clock that is never set. */
const unknownSince = new Map<string, number>();

let callsNow = 0;

/**
 * Calls a notice once. After a failure it waits as long as it has waited so far, so the waits double. They do not depend
 * on the number of attempts, because an attempt may also be one that had to wait for its turn. A notice that waits is no
 * running activity, so it takes no place of a campaign.
 *
 * @param options - `waited` is the time since the event, ms; `now` is the time of a clock that is never set, ms
 * @throws ForayError NOTICES_INVALID, UNKNOWN_NOTICE; ApplicationFailure NOTICE_FAILED. Temporal then calls the notice
 *   again. ApplicationFailure UNKNOWN_NOTICE, without a retry, if the name is unknown for too long
 */
export async function notify(
  { notices }: Pick<World, 'notices'>,
  { name, message }: NoticeCall,
  { signal, waited, now = performance.now() }: { signal: AbortSignal; waited: number; now?: number },
): Promise<void> {
  if (callsNow >= MOST_AT_ONCE) {
    const nextRetryDelay = TURN_MS.least + Math.random() * (TURN_MS.most - TURN_MS.least);
    throw failed(`The notice "${name}" waits until the worker has made other calls.`, nextRetryDelay);
  }
  const notice = knownNotice(notices, name, now);
  callsNow += 1;
  try {
    const failure = await callNotice(notice, message, signal);
    if (!failure) return;
    const wait = Math.min(AGAIN_MS.most, Math.max(AGAIN_MS.least, waited));
    throw failed(`The notice "${name}" ${failure.why}.`, Math.max(wait, failure.retryAfter));
  } finally {
    callsNow -= 1;
  }
}

/** @throws ForayError NOTICES_INVALID, UNKNOWN_NOTICE; ApplicationFailure UNKNOWN_NOTICE after a while */
function knownNotice(file: string | undefined, name: string, now: number): Notice {
  try {
    const notice = noticeOf(file, name);
    unknownSince.delete(name);
    return notice;
  } catch (error) {
    if (!isForayError(error) || error.code !== 'UNKNOWN_NOTICE') throw error;
    const since = unknownSince.get(name) ?? now;
    unknownSince.set(name, since);
    if (now - since < UNKNOWN_MS) throw error;
    throw ApplicationFailure.nonRetryable(error.toLine(), error.code);
  }
}

/** @param nextRetryDelay - the wait until the next call, ms */
function failed(message: string, nextRetryDelay: number): ApplicationFailure {
  return ApplicationFailure.create({ type: 'NOTICE_FAILED', message, nextRetryDelay });
}

/**
 * Checks that the worker has the notices of a campaign, so that a misspelt name shows at the start and not at the end.
 * @throws ForayError NOTICES_INVALID, UNKNOWN_NOTICE
 */
export function checkNotices({ notices }: World, { notify: names = [] }: Campaign): void {
  for (const name of names) noticeOf(notices, name);
}
