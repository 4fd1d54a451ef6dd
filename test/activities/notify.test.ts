import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { notify } from '../../src/activities/notify.ts';
import { callsOf } from '../../src/campaign/notice.ts';

let folder: string;
let notices: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'foray-notify-'));
  notices = join(folder, 'notices.yaml');
  const file = 'fails: {command: ["false"]}\nhangs: {command: [sleep, "600"]}';
  writeFileSync(notices, file, { mode: 0o600 });
});
afterAll(() => rmSync(folder, { recursive: true }));

const runs = { total: 1, done: 1, new: 1, reused: 0, failed: 0, running: 0, queued: 0, waiting: 0 };
const data = { campaign: 'c', phase: 'completed', points: 1, runs, note: '', failure: null } as const;

function call(
  name: string,
  waited: number,
  signal = new AbortController().signal,
  now?: number,
): Promise<void> {
  const [made] = callsOf([name], 'campaign.ended', { ...data, id: 'event', now: 0 });
  return notify({ notices }, made!, { signal, waited, ...(now !== undefined && { now }) });
}

test('two equal names have one call', () => {
  const calls = callsOf(['a', 'b', 'a'], 'campaign.ended', { ...data, id: 'event', now: 0 });
  expect(calls.map(({ name }) => name)).toEqual(['a', 'b']);
});

test.each([
  [0, 1_000],
  [1_000, 1_000],
  [4_000, 4_000],
  [86_400_000, 600_000],
])('a notice that has waited %i ms waits %i ms more after a failure', async (waited, nextRetryDelay) => {
  await expect(call('fails', waited)).rejects.toMatchObject({
    type: 'NOTICE_FAILED',
    nonRetryable: false,
    nextRetryDelay,
  });
});

test('a fifth notice waits for its turn a short time, and its first failure then too', async () => {
  const end = new AbortController();
  const four = Array.from({ length: 4 }, () => call('hangs', 0, end.signal));
  const turn: unknown = await call('fails', 2_000).catch((error: unknown) => error);
  expect(turn).toMatchObject({ message: expect.stringContaining('waits until'), nonRetryable: false });
  expect((turn as { nextRetryDelay: number }).nextRetryDelay).toBeLessThanOrEqual(3_000);
  end.abort();
  await Promise.allSettled(four);
  await expect(call('fails', 5_000)).rejects.toMatchObject({
    message: 'The notice "fails" ended with 1.',
    nextRetryDelay: 5_000,
  });
});

test('a name that the worker does not have for 5 minutes ends the calls, with the reason', async () => {
  const { signal } = new AbortController();
  const at = (now: number): Promise<void> => call('failz', 3_600_000, signal, now);
  // a notice that has waited long for its receiver is not lost because the file is away for a moment
  for (const now of [0, 299_999])
    await expect(at(now)).rejects.toMatchObject({ name: 'ForayError', code: 'UNKNOWN_NOTICE' });
  await expect(at(300_000)).rejects.toMatchObject({
    type: 'UNKNOWN_NOTICE',
    nonRetryable: true,
    message: 'The worker has no notice "failz". Did you mean "fails"?',
  });
});
