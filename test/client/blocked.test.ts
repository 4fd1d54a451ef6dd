import { expect, test } from '@jest/globals';
import { troubleOf } from '../../src/client/blocked.ts';

/** The trouble of a workflow whose activity has failed. Temporal shows the number of the next attempt. */
const trouble = (type: string, nextAttempt: number) => {
  const lastFailure = { message: 'It failed.', applicationFailureInfo: { type } };
  const raw = { pendingActivities: [{ attempt: 1 }, { attempt: nextAttempt, lastFailure }] };
  return troubleOf({ raw } as unknown as Parameters<typeof troubleOf>[0]);
};

test('a step blocks a campaign after two failures, or after one failure if only a person can fix the cause', () => {
  expect(trouble('Error', 2)).toEqual({ why: 'attempt 1 failed: It failed.', blocks: false });
  expect(trouble('KEY_REFUSED', 2)).toEqual({ why: 'It failed.', blocks: true });
  expect(trouble('Error', 3)).toEqual({ why: 'It failed.', blocks: true });
});
