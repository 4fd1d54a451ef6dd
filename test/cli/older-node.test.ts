import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from '@jest/globals';
import { cleanEnv, MAIN } from '../support/cli.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'foray-older-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Has the Node that loads it say that it is an older one. */
const OLDER = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } });",
)}`;

function runInOlderNode(program: string, args: string[]): ChildProcess {
  return spawn(process.execPath, [`--import=${OLDER}`, program, ...args], {
    cwd: folder,
    env: cleanEnv(),
    // leads a process group, as what a shell starts does
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function startService(): Promise<ChildProcess> {
  const child = runInOlderNode(MAIN, ['service', '--port', '0', '--data', folder]);
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  }
  await until('the service is ready', () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${said}`);
    return /http:\/\/127\.0\.0\.1:\d+/.test(said);
  });
  return child;
}

test('in a checkout, a SIGINT to the program alone ends it in order', async () => {
  const child = await startService();
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

test('a Ctrl-C, which reaches its child as well, counts once', async () => {
  const child = await startService();
  const ended = once(child, 'exit');
  process.kill(-child.pid!, 'SIGINT');
  expect(await ended).toEqual([0, null]);
});

test('in the package, which brings no Node along, one line says what to do', async () => {
  const bin = join(folder, 'node_modules/foray/src/cli');
  mkdirSync(bin, { recursive: true });
  copyFileSync(MAIN, join(bin, 'foray.mjs'));
  const child = runInOlderNode(join(bin, 'foray.mjs'), ['demo']);
  const [said, ended] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect(said).toMatch(/^foray: this is Node 20\.19\.0; foray needs Node 24 or newer: .*\n$/);
  expect(ended).toEqual([2, null]);
});
