import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { lockUsualPorts } from '../../src/dev/running-homes.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { clientOf, type Dev, foray, isRunning, startDev } from '../support/cli.ts';
import { ownPort } from '../support/own-port.ts';
import { until } from '../support/until.ts';

/** In one home folder, foray dev starts, ends and starts again. Each test continues where the test before ended. */

let folder: string;
let dev: Dev | undefined;
/** The ports of the first and of the second foray dev. */
let port: number;
let otherPort: number;
/** The first address of the page. */
let page: string;
beforeAll(async () => {
  port = await ownPort();
  otherPort = await ownPort();
  folder = mkdtempSync(join(tmpdir(), 'foray-dev-'));
});
afterAll(async () => {
  await dev?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function pidsOf(one: Dev): number[] {
  return (['Worker', 'Model service', 'Temporal'] as const).map((part) => one.pidOf(part));
}

/** Sends SIGINT to foray dev, as Ctrl-C does. Unlike `Dev.stop`, this function keeps the folder. */
async function interrupt({ child }: Dev): Promise<number | null> {
  const ended = once(child, 'exit') as Promise<[number | null]>;
  child.kill('SIGINT');
  const [code] = await ended;
  return code;
}

/** The address of the page. */
const pageOf = (one: Dev): string => /Page +(http:\/\/127\.0\.0\.1:\d+)/.exec(one.said())![1]!;

/** Writes a program that replaces Temporal. Its first start ends at once, as if another program used the port. */
function temporalThatEndsOnce(ended: string): string {
  const program = join(folder, 'temporal');
  const real = process.env.FORAY_TEMPORAL_CLI!;
  writeFileSync(
    program,
    `#!/bin/sh\nif [ ! -e '${ended}' ]; then touch '${ended}'; exit 1; fi\nexec '${real}' "$@"\n`,
    { mode: 0o700 },
  );
  return program;
}

test('foray dev refuses a port that another program uses', async () => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const refused = await foray(folder, ['dev', '--port', String(port)]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`127.0.0.1:${port} already`)]);
  await once(server.close(), 'close');
});

test('foray dev starts a part again if the part ends at once, as it does if another program uses the port', async () => {
  const ended = join(folder, 'ended');
  const env = { FORAY_TEMPORAL_CLI: temporalThatEndsOnce(ended), FORAY_KEY: 'my-own-secret-key' };
  // while another foray dev starts, the usual ports are left to it
  const other = await until('no other test starts foray dev', lockUsualPorts);
  try {
    dev = await startDev({ folder, env, args: ['--port', String(port)] });
  } finally {
    other.release();
  }
  expect(dev.said()).not.toMatch(/:(7233|8233|8100)\b/);
  page = pageOf(dev);
  expect(existsSync(ended)).toBe(true);
  expect(dev.said()).toContain(`http://127.0.0.1:${port}/`);
});

test('the page uses the key in FORAY_KEY', () => {
  const page = readFileSync(join(folder, '.foray/page.json'), 'utf8');
  expect(JSON.parse(page)).toMatchObject({ key: 'my-own-secret-key' });
});

test('Ctrl-C stops every part, also while a campaign runs', async () => {
  writeFileSync(
    join(folder, 'slow.yaml'),
    'campaign: slow\nmodel: {name: Rehearsal}\nconcurrency: 1\ninputs: {Seconds: 1}\ndesign: {grid: {Value: [1, 2, 3, 4]}}',
  );
  expect((await foray(folder, ['submit', 'slow.yaml', '--id', 'slow'])).code).toBe(0);
  const pids = pidsOf(dev!);
  expect(pids.every(isRunning)).toBe(true);
  expect(await interrupt(dev!)).toBe(0);
  await until('all parts have ended', () => !pids.some(isRunning));
});

test('a campaign continues when foray dev starts again on another port', async () => {
  dev = await startDev({ folder, args: ['--port', String(otherPort)] });
  expect(dev.said()).toContain(`http://127.0.0.1:${otherPort}/`);
  // a browser keeps what was typed into a form by the address of the page
  expect(pageOf(dev)).toBe(page);
  expect(dev.said()).not.toContain('as before');
  const client = await clientOf(dev);
  try {
    const status = await toTheEnd({ foray: client }, 'slow');
    expect(status).toMatchObject({ phase: 'completed', blocked: null, runs: { done: 4 } });
    const text = 'campaign: slow\nmodel: {name: Rehearsal}\ninputs: {Seconds: 600}';
    await client.submit({ text, file: 'stuck.yaml' }, { id: 'stuck' });
  } finally {
    await client.close();
  }
});

test('the terminal says why a campaign cannot continue: a service that has lost its data counts as another service', async () => {
  await interrupt(dev!);
  rmSync(join(folder, '.foray/service'), { recursive: true });
  const server = createServer().listen(Number(new URL(page).port), '127.0.0.1');
  await once(server, 'listening');
  dev = await startDev({ folder }).finally(() => server.close());
  expect(dev.said()).toContain(`The page is not at ${page} as before, because something else listens there.`);
  // the model service takes the last port of its home
  expect(dev.said()).toContain(`http://127.0.0.1:${otherPort}/`);
  await until('the terminal says why the campaign cannot continue', () =>
    /stuck: Cannot continue: This worker serves .*"foray cancel stuck" ends the campaign/.test(dev!.said()),
  );
  // the list does not wait long for Temporal, so a slow answer leaves the reason out
  await until('the list says why, too', async () =>
    /^stuck +blocked .*Cannot continue/m.test((await foray(folder, ['list'])).stdout),
  );
});

test('a campaign whose service has lost its data ends after a cancel', async () => {
  expect((await foray(folder, ['delete', 'stuck'])).stderr).toContain('"foray cancel stuck" ends');
  expect((await foray(folder, ['cancel', 'stuck'])).code).toBe(0);
  const client = await clientOf(dev!);
  try {
    expect(await toTheEnd({ foray: client }, 'stuck')).toMatchObject({ phase: 'cancelled' });
  } finally {
    await client.close();
  }
});

test('all parts end if foray dev is killed', async () => {
  const pids = pidsOf(dev!);
  expect(pids.every(isRunning)).toBe(true);
  process.kill(dev!.child.pid!, 'SIGKILL');
  await until('all parts have ended', () => !pids.some(isRunning));
});
