import type { FailurePolicy } from './types.ts';

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
