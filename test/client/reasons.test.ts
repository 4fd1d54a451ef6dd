import { expect, test } from '@jest/globals';
import { retryReason } from '../../src/client/reasons.ts';

test.each([
  [3, 2, null, 'retry of 3 failed and 2 waiting runs'],
  [0, 1, null, 'retry of 1 waiting run'],
  [1, 0, { to: 4 }, 'retry of 1 failed run with version 4'],
  [0, 0, null, 'retry'],
])(
  'the reason of a retry of %i failed and %i waiting runs says which runs it requests',
  (failed, missing, version, reason) => {
    expect(retryReason({ failed, missing, version })).toBe(reason);
  },
);
