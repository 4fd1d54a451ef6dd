import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { clientOf, type Dev, foray, startDev } from '../support/cli.ts';
import { until } from '../support/until.ts';

let folder: string;
let dev: Dev | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foray-dev-'));
});
afterEach(async () => {
  await dev?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Ends foray dev as Ctrl-C does, and keeps its folder, so that a test can start it again. */
async function interrupt({ child }: Dev): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
}

async function listening(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

test('a campaign continues when foray dev starts again on another port; the terminal says what blocks it', async () => {
  const { server, port } = await listening();
  const taken = await foray(folder, ['dev', '--port', String(port)]);
  expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining(`127.0.0.1:${port} already`)]);
  server.close();

  dev = await startDev({ folder, args: ['--port', String(port)] });
  expect(dev.said()).toContain(`http://127.0.0.1:${port}/`);
  writeFileSync(
    join(folder, 'slow.yaml'),
    'campaign: slow\nmodel: {name: Rehearsal}\nconcurrency: 1\ninputs: {Seconds: 1}\ndesign: {grid: {Value: [1, 2, 3, 4]}}',
  );
  expect((await foray(folder, ['submit', 'slow.yaml', '--id', 'slow'])).code).toBe(0);
  await interrupt(dev);

  dev = await startDev({ folder, args: ['--port', '0'] });
  expect(dev.said()).not.toContain(`http://127.0.0.1:${port}/`);
  const client = await clientOf(dev);
  try {
    await until('it is over', async () => (await client.status('slow')).phase === 'completed');
    expect(await client.status('slow')).toMatchObject({ blocked: null, runs: { done: 4 } });
    writeFileSync(
      join(folder, 'more.yaml'),
      'campaign: slow\nmodel: {name: Rehearsal}\ninputs: {Seconds: 600}',
    );
    expect((await foray(folder, ['submit', 'more.yaml', '--id', 'stuck'])).code).toBe(0);
  } finally {
    await client.close();
  }
  await interrupt(dev);
  // a service that has lost its data counts as another service
  rmSync(join(folder, '.foray/service'), { recursive: true });
  dev = await startDev({ folder, args: ['--port', '0'] });
  await until('the terminal shows the reason', () =>
    /stuck: Cannot go on: This worker serves/.test(dev!.said()),
  );
  const listed = await foray(folder, ['list']);
  expect(listed.stdout).toMatch(/^stuck +blocked .*Cannot go on/m);
});
