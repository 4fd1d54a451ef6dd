import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { ForayError } from '../../src/errors.ts';
import { silenceOf } from '../../src/postgres/silence.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('after a dead connection, only the answers to later questions count', async () => {
  const questions: PromiseWithResolvers<void>[] = [];
  const whyLost = silenceOf(
    () => {
      questions.push(Promise.withResolvers<void>());
      return questions.at(-1)!.promise;
    },
    { name: 'The store', shown: 'of a test', setBy: '--store' },
  );
  const after = async (ms: number) => {
    await jest.advanceTimersByTimeAsync(ms);
    return whyLost()?.code;
  };
  expect(await after(0)).toBeUndefined();
  expect(await after(7_000)).toBeUndefined();
  expect(await after(2_000)).toBe('STORE_UNREACHABLE');
  expect(questions).toHaveLength(2);
  questions[1]!.resolve();
  expect(await after(1)).toBeUndefined();
  for (let second = 0; second < 20; second += 1) {
    expect(await after(1_000)).toBeUndefined();
    questions.at(-1)!.resolve();
  }
  expect(questions.length).toBeGreaterThan(5);
  questions[0]!.reject(new ForayError('STORE_UNREACHABLE', 'The connection has ended.'));
  expect(await after(1)).toBeUndefined();
});
