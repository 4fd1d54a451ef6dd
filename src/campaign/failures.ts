import type { AttemptPolicy, FailureCause, FailurePolicy } from './types.ts';

/** How many runs have finished and failed, of those that count. */
export interface FailureCounts {
  finished: number;
  failed: number;
}

/** Why a campaign's failures are more than its policy tolerates, in words; undefined while they are not. */
export function intolerable(policy: FailurePolicy, { finished, failed }: FailureCounts): string | undefined {
  if (policy.count !== undefined && failed > policy.count) {
    return `${failed} ${failed === 1 ? 'run' : 'runs'} failed, more than ${policy.count}`;
  }
  if (policy.rate !== undefined && finished >= policy.after && failed > policy.rate * finished) {
    return `${failed} of ${finished} runs failed, more than ${Number((100 * policy.rate).toFixed(2))} %`;
  }
  return undefined;
}

const LONGEST_BACKOFF = 3_600_000;

/** How long to wait before the next attempt of a run, ms; undefined when there is to be none. */
export function nextAttemptIn({ count, backoff }: AttemptPolicy, failures: number): number | undefined {
  if (failures >= count) return undefined;
  return Math.max(backoff, Math.min(LONGEST_BACKOFF, backoff * 2 ** (failures - 1)));
}

/** Of how many runs of one cause a campaign keeps what they printed: failures by the thousand say the same. */
export const MOST_LOGS_OF_CAUSE = 20;

/** Causes that are told apart; the rest is one. */
const MOST_CAUSES = 20;
const OTHER = 'other causes';
const LONGEST_CAUSE = 200;
/** Numbers, times, ids and hashes: in one pass, as one of these is a part of another. */
const VARYING = /[+-]?\b\d(?:[\w.:+-]*\w)?|\b[0-9a-f]{8}[0-9a-f-]{8,}\b/gi;

/** What reasons have in common that differ in their numbers only: `Seconds is -3` and `Seconds is -4` are `Seconds is …`. */
export function causeOf(reason: string): string {
  return reason.replace(VARYING, '…').slice(0, LONGEST_CAUSE);
}

/** Adds failures to those that are known, by cause; each cause keeps the sample that it had first. */
export function addCauses(known: FailureCause[], more: readonly FailureCause[]): void {
  for (const { cause, count, sample } of more) {
    const same = known.find((other) => other.cause === cause);
    const other = known.find((candidate) => candidate.cause === OTHER);
    if (same) same.count += count;
    else if (known.length < MOST_CAUSES) known.push({ cause, count, sample });
    else if (other) other.count += count;
    else known.push({ cause: OTHER, count, sample });
  }
}
