import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { cleanEnv, foray, MAIN } from '../support/cli.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();

test('foray service takes keys, limits and a data folder from its options, and ends on SIGTERM', async () => {
  const key = (await foray(folder, ['keys', 'add', 'ada', '--file', 'keys.yaml'])).stdout.trim();
  const limits = ['--max-body', '1KB', '--max-upload', '0.5 kb', '--rate-limit', '3'];
  const args = [MAIN, 'service', '--port', '0', '--data', 'data', '--keys', 'keys.yaml', ...limits];
  // a key from the environment gives no access if the keys are in a file
  const env = { ...cleanEnv(), FORAY_API_KEY: 'of-the-environment' };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const url = /http:\S+/.exec(line.toString())![0];
    const ask = async (path: string, body?: string, Authorization = key) => {
      const method = body === undefined ? 'GET' : 'POST';
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { Authorization },
        body: body ?? null,
      });
      return response.status;
    };
    expect(await ask('/models', undefined, 'of-the-environment')).toBe(401);
    expect(await ask('/models/name/', 'x'.repeat(1_025))).toBe(413);
    expect(await ask('/upload-file', 'x'.repeat(513))).toBe(413);
    const statuses = await Promise.all(Array.from({ length: 30 }, () => ask('/models')));
    expect(statuses).toContain(429);
  } finally {
    child.kill('SIGTERM');
  }
  expect(await ended).toEqual([0, null]);
});

test('foray service says which option is wrong', async () => {
  const flags = ['--max-upload=much', '--max-body=0', '--rate-limit=-1', '--public-url=x', '--trust-proxy=x'];
  for (const flag of flags) {
    const { code, stderr } = await foray(folder, ['service', flag]);
    expect([flag, code, stderr]).toEqual([flag, 2, expect.stringContaining(flag.split('=')[0]!)]);
  }
});
