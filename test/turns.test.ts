import { expect, test } from '@jest/globals';
import { inTurns } from '../src/turns.ts';

/** A bound for a computation that never gets what it waits for. */
const MOST = 2e8;

function* until(isMet: () => boolean): Generator<void, boolean> {
  for (let step = 0; step < MOST; step += 1) {
    if (isMet()) return true;
    yield;
  }
  return false;
}

test('a long computation gives other work turns', async () => {
  let isDone = false;
  setTimeout(() => (isDone = true), 1);
  expect(await inTurns(until(() => isDone))).toBe(true);
});

test('a computation ends when its signal is aborted', async () => {
  const end = new AbortController();
  setTimeout(() => end.abort(new Error('cancelled')), 1);
  await expect(
    inTurns(
      until(() => false),
      end.signal,
    ),
  ).rejects.toThrow('cancelled');
});
