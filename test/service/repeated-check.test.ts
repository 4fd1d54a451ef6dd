import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { RepeatedCheck } from '../../src/service/repeated-check.ts';

const EVERY = 5_000;
const GATHER = 50;

/** The functions that end the checks that have begun. Time is virtual. */
let begun: (() => void)[];
let checks: RepeatedCheck;

beforeEach(() => {
  jest.useFakeTimers();
  begun = [];
  const check = () => new Promise<void>((resolve) => begun.push(resolve));
  checks = new RepeatedCheck({ check, every: EVERY, gather: () => GATHER });
});
afterEach(() => {
  jest.useRealTimers();
});

test('requests within a moment get one check, and without requests there is one at each interval', async () => {
  checks.request();
  checks.request();
  await jest.advanceTimersByTimeAsync(GATHER);
  expect(begun).toHaveLength(1);
  begun[0]!();
  await jest.advanceTimersByTimeAsync(EVERY - GATHER - 1);
  expect(begun).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(begun).toHaveLength(2);
});

test('a request during a check does not wait for the interval, because the check may have missed its reason', async () => {
  checks.request();
  await jest.advanceTimersByTimeAsync(GATHER);
  checks.request();
  await jest.advanceTimersByTimeAsync(GATHER);
  // two checks never overlap
  expect(begun).toHaveLength(1);
  begun[0]!();
  await jest.advanceTimersByTimeAsync(GATHER);
  expect(begun).toHaveLength(2);
  begun[1]!();
  await jest.advanceTimersByTimeAsync(10 * GATHER);
  expect(begun).toHaveLength(2);
});

test('after its end there are no checks, and the end waits for the current one', async () => {
  await jest.advanceTimersByTimeAsync(EVERY);
  checks.request();
  let isClosed = false;
  void checks.close().then(() => (isClosed = true));
  checks.request();
  await jest.advanceTimersByTimeAsync(3 * EVERY);
  expect([begun.length, isClosed]).toEqual([1, false]);
  begun[0]!();
  await jest.advanceTimersByTimeAsync(0);
  expect(isClosed).toBe(true);
});
