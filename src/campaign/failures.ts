import { bounded } from '../text/printable.ts';
import type { AttemptPolicy, FailureCause, FailurePolicy } from './types.ts';

/** The runs that a failure policy counts. The finished runs include the failed ones. */
export interface FailureCounts {
  finished: number;
  failed: number;
}

/** Says why a campaign has more failures than its policy allows; undefined if the policy allows them. */
export function intolerable(policy: FailurePolicy, { finished, failed }: FailureCounts): string | undefined {
  if (policy.count !== undefined && failed > policy.count) {
    return `${failed} ${failed === 1 ? 'run' : 'runs'} failed, more than ${policy.count}`;
  }
  if (policy.rate !== undefined && finished >= policy.after && failed > policy.rate * finished) {
    return `${failed} of ${finished} runs failed, more than ${Number((100 * policy.rate).toFixed(2))} %`;
  }
  return undefined;
}

/** The maximum number of failed attempts that are stored per run. The oldest are deleted first. */
export const KEPT_ATTEMPTS = 5;

const LONGEST_BACKOFF = 3_600_000;

/**
 * The wait before the next attempt of a run, ms; undefined if there is no further attempt. The wait doubles with each
 * failure, up to an hour, but it is never shorter than `backoff`.
 */
export function nextAttemptIn({ count, backoff }: AttemptPolicy, failures: number): number | undefined {
  if (failures >= count) return undefined;
  return Math.max(backoff, Math.min(LONGEST_BACKOFF, backoff * 2 ** (failures - 1)));
}

/**
 * A campaign keeps the logs of at most this many runs for each cause, because runs that fail for one cause usually
 * print the same text.
 */
export const MOST_LOGS_OF_CAUSE = 20;

/** The maximum number of causes that are counted separately. All other causes count as one cause. */
const MOST_CAUSES = 20;
/** The name for all other causes, which are counted together. */
export const OTHER_CAUSES = 'other causes';
const LONGEST_CAUSE = 200;
/**
 * Matches numbers, times, ids and hashes, except an exit code, which says what happened, and the number in the name of
 * an encoding. It is one pattern, because a number can be a part of an id or a hash.
 */
const VARYING =
  /(?<!\b(?:exit code |exit status |errno |signal |utf-?))[+-]?\b\d(?:[\w.:+-]*\w)?|\b[0-9a-f]{8}[0-9a-f-]{8,}\b/gi;

/**
 * The common part of reasons that differ only in numbers, times, ids and hashes: `Seconds is -3` and `Seconds is -4`
 * become `Seconds is …`. A long text is cut off.
 */
export function causeOf(reason: string): string {
  return bounded(reason.replace(VARYING, '…'), LONGEST_CAUSE);
}

/** Adds failures to the known ones, by cause. Each cause keeps its first sample. */
export function addCauses(known: FailureCause[], more: readonly FailureCause[]): void {
  for (const { cause, count, sample } of more) {
    const same = known.find((one) => one.cause === cause);
    const others = known.find((one) => one.cause === OTHER_CAUSES);
    if (same) same.count += count;
    else if (known.length < MOST_CAUSES) known.push({ cause, count, sample });
    else if (others) others.count += count;
    else known.push({ cause: OTHER_CAUSES, count, sample });
  }
}
