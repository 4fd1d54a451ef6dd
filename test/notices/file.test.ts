import { existsSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isForayError } from '../../src/errors.ts';
import { callNotice, signatureOf } from '../../src/notices/call.ts';
import { noticeOf, readNotices } from '../../src/notices/file.ts';
import { testFolder } from '../support/test-folder.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const folder = testFolder();

function fileOf(text: string, mode = 0o600): string {
  const file = join(folder, 'notices.yaml');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

/** The line of the error that `act` throws. */
function lineOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (isForayError(error)) return `${error.code} ${error.toLine()}`;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('the signature is that of the example in the specification of Standard Webhooks', () => {
  const signature = signatureOf(SECRET, 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', '{"test": 2432232314}');
  expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

const runs = { total: 0, done: 0, new: 0, reused: 0, failed: 0, running: 0, queued: 0, waiting: 0 };
const data = { campaign: 'c', phase: 'completed', points: 0, runs, note: '', failure: null } as const;
const message = { id: '1', type: 'campaign.ended', timestamp: '2026-01-01T00:00:00.000Z', data } as const;

test('a command gets no key or password of the worker, but the rest of its environment', async () => {
  const keys = ['FORAY_API_KEY', 'TEMPORAL_API_KEY', 'PGPASSWORD', 'PGPASSFILE'];
  const before = { ...process.env };
  const file = join(folder, 'environment');
  try {
    for (const key of keys) process.env[key] = 'hunter2';
    process.env.NOTICE_TEST = 'stays';
    const { signal } = new AbortController();
    expect(await callNotice({ command: ['sh', '-c', `env > ${file}`] }, message, signal)).toBeUndefined();
  } finally {
    for (const key of [...keys, 'NOTICE_TEST']) {
      if (before[key] === undefined) delete process.env[key];
      else process.env[key] = before[key];
    }
  }
  const environment = readFileSync(file, 'utf8');
  expect(environment).toContain('NOTICE_TEST=stays');
  expect(environment).not.toContain('hunter2');
});

test('a call that was ended before it begins starts no command', async () => {
  const file = join(folder, 'started');
  const call = callNotice({ command: ['touch', file] }, message, AbortSignal.abort());
  await expect(call).rejects.toThrow('aborted');
  expect(existsSync(file)).toBe(false);
});

describe('a file of notices', () => {
  test('has webhooks and commands by name', () => {
    const file = fileOf(
      `team: {url: https://example.org/hook, secret: "${SECRET}"}\ndesk: {command: [echo, done]}`,
    );
    expect([...readNotices(file)]).toEqual([
      ['team', { url: 'https://example.org/hook', secret: SECRET }],
      ['desk', { command: ['echo', 'done'] }],
    ]);
    expect(noticeOf(file, 'desk')).toEqual({ command: ['echo', 'done'] });
    expect([...readNotices(fileOf(''))]).toEqual([]);
  });

  test.each([
    ['a: {url: "ftp://example.org"}', 'an http or https address is expected'],
    ['a: {url: "https://example.org", secret: hunter2-hunter2-hunter2}', 'the secret is whsec_ and'],
    ['a: {url: "https://example.org", secret: whsec_aHVudGVyMg==}', 'the secret is whsec_ and'],
    ['a: {url: "https://example.org", command: [hunter2]}', 'either a url or a command'],
    ['a: {url: "https://me:hunter2@example.org"}', 'an address has no user name'],
    ['a: {url: hunter2}', 'an http or https address is expected'],
    ['a: {}', 'either a url or a command'],
    ['a: {command: []}', 'the command has no program'],
    ['a: {command: hunter2}', 'the command is a list'],
    ['a: {hunter2: 1}', 'this name is unknown'],
    ['a b: {command: [hunter2]}', 'a name has at most 64'],
    ['a: hunter2', 'a notice is {url: ADDRESS'],
    ['a: {url: "hunter2', 'is neither YAML nor JSON'],
  ])('%s is refused with its place, but without the text at the place', (text, why) => {
    const line = lineOf(() => readNotices(fileOf(text)));
    expect(line).toContain(why);
    expect(line).toMatch(/^NOTICES_INVALID \S+notices\.yaml:1:\d+: /);
    expect(line).not.toContain('hunter2');
  });

  test('that other users may read is refused', () => {
    const line = lineOf(() => readNotices(fileOf('a: {command: [echo]}', 0o640)));
    expect(line).toContain('Other users have access to the file of notices');
    expect(line).toContain('chmod 600');
  });

  test('does not have a misspelt name, and the error has the similar one', () => {
    const file = fileOf('team: {command: [echo]}');
    expect(lineOf(() => noticeOf(file, 'teem'))).toBe(
      'UNKNOWN_NOTICE The worker has no notice "teem". Did you mean "team"?',
    );
    expect(lineOf(() => noticeOf(join(folder, 'missing.yaml'), 'team'))).toContain('no file of notices');
    expect(lineOf(() => noticeOf(undefined, 'team'))).toContain('no file of notices');
  });
});
