import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { RepeatedCheck } from '../../src/service/repeated-check.ts';

/** The options `every` and `gather` of the check, in milliseconds. */
const EVERY = 5_000;
const GATHER = 50;

/** For each check that has begun, the function that ends it. Time is virtual. */
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

test('requests within a short time cause one check; without requests, there is one check in each interval', async () => {
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

test('a request during a check causes another check soon after, because the current check may have missed the reason', async () => {
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

test('closing ends the checks and waits for the current check', async () => {
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
