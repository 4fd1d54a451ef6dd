import { afterEach, expect, jest, test } from '@jest/globals';
import { ForayError } from '../../src/errors.ts';
import { Problems } from '../../src/service/problems.ts';
import { UntoldFaults } from '../../src/service/untold-faults.ts';

afterEach(() => void jest.restoreAllMocks());

const unreachable = new ForayError('STORE_UNREACHABLE', 'The database cannot be reached.');
const away = { code: 'DATABASE_AWAY', subject: '', message: '', detail: '' } as const;

/** Fails at these seconds, and returns at which of them the failure must be told. */
function toldAt(faults: UntoldFaults, seconds: readonly number[]): number[] {
  return seconds.filter((second) => {
    jest.spyOn(performance, 'now').mockReturnValue(second * 1_000);
    return faults.mustTell(unreachable);
  });
}

test('a failure of the database itself is told at once', () => {
  expect(new UntoldFaults(new Problems(Date.now, () => {})).mustTell(new Error('the disk is full'))).toBe(
    true,
  );
});

test('a database that cannot be reached is told only if the service has not told it in 15 seconds', () => {
  const problems = new Problems(Date.now, () => {});
  const faults = new UntoldFaults(problems);
  expect(toldAt(faults, [100, 114, 115, 200])).toEqual([115, 200]);
  problems.raise(away);
  expect(toldAt(faults, [201])).toEqual([]);
  problems.replace(['DATABASE_AWAY'], []);
  expect(toldAt(faults, [202])).toEqual([202]);
  // an answer ends the time
  faults.noteAnswer();
  expect(toldAt(faults, [203, 217, 218])).toEqual([218]);
});
