import { expect, test } from '@jest/globals';
import { isRefusal } from '../../src/activities/change.ts';
import { ForayError } from '../../src/errors.ts';

test('only a mistake that a person can correct refuses a change; after a fault of the store, the change is tried again', () => {
  expect(isRefusal(new ForayError('INVALID_VALUE', 'The value is wrong.'))).toBe(true);
  for (const code of ['STORE_UNUSABLE', 'STORE_NEWER', 'STORE_UNREACHABLE'] as const)
    expect([code, isRefusal(new ForayError(code, 'A fault.'))]).toEqual([code, false]);
  expect(isRefusal(new Error('a fault'))).toBe(false);
});
