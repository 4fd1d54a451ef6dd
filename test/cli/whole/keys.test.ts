import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { openStore } from '../../../src/store/index.ts';
import { addNamed } from '../../store/fixtures.ts';
import { cleanEnv, foray, MAIN } from '../../support/cli.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'foray-keys-'));
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

const keys = (...args: string[]) => foray(folder, ['keys', ...args]);

/** Starts a server, and resolves to its address when it listens. */
async function start(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [MAIN, ...args, '--port', '0'], { cwd: folder, env: cleanEnv() });
  children.push(child);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return until('the server prints its address', () => {
    if (child.exitCode !== null) throw new Error(said);
    return /http:\S+\/api\/\S+/.exec(said)?.[0] ?? false;
  });
}

test("one key file serves a running model service and foray's server: added keys give access by their role, and a revoked key gives none within 10 s, also to an open stream", async () => {
  const file = ['--file', 'shared.yaml'];
  const add = async (...args: string[]) => (await keys('add', ...args, ...file)).stdout.trim();
  const ada = await add('ada');
  const store = await openStore(`sqlite:${join(folder, '.foray/store.db')}`, 'make');
  await addNamed(store, ['a']);
  await store.close();
  const [service, server] = await Promise.all(
    [
      start('service', '--keys', 'shared.yaml', '--data', 'data', '--executors', '1'),
      start('server', '--keys', 'shared.yaml'),
    ].map(async (url) => (await url).replace(/\/$/, '')),
  );
  const statusOf = async (url: string, key: string, method = 'GET'): Promise<number> =>
    (await fetch(url, { method, headers: { authorization: `Bearer ${key}` } })).status;
  const statuses = (key: string): Promise<number[]> =>
    Promise.all([
      statusOf(`${service}/models`, key),
      statusOf(`${server}/campaigns`, key),
      // a closed campaign would be deleted, and this one is open
      statusOf(`${server}/campaigns/none`, key, 'DELETE'),
    ]);
  expect(await statuses(ada)).toEqual([200, 200, 404]);
  const rita = await add('rita', '--role', 'read');
  const node = await add('node', '--role', 'executor');
  expect([await statuses(rita), await statuses(node)]).toEqual([
    [401, 200, 403],
    [401, 401, 401],
  ]);

  const sent = request(`${server}/campaigns/flu/events`, {
    headers: { authorization: `Bearer ${ada}` },
  }).end();
  const [stream] = (await once(sent, 'response')) as [IncomingMessage];
  expect(stream.statusCode).toBe(200);
  stream.on('error', () => undefined).resume();
  const ended = new Promise((resolve) => stream.once('close', resolve));
  const began = performance.now();
  expect((await keys('revoke', 'ada', ...file)).code).toBe(0);
  expect(await statuses(ada)).toEqual([401, 401, 401]);
  await ended;
  expect(performance.now() - began).toBeLessThan(10_000);
  expect((await statuses(rita))[1]).toBe(200);
  for (const key of [ada, rita, node])
    expect(readFileSync(join(folder, 'shared.yaml'), 'utf8')).not.toContain(key);
});
