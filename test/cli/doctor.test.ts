import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openStore } from '../../src/store/index.ts';
import { foray } from '../support/cli.ts';
import { fillDisk, smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { environmentOf } from '../support/worker.ts';
import { KEY, startWorld, type World } from '../support/world.ts';

interface Part {
  part: string;
  state: string;
  message: string;
  advice: string;
}

let world: World;
let folder: string;
/** A namespace without the search attributes of campaigns. */
const BARE = 'bare';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'foray-doctor-'));
  world = await startWorld();
  await world.startWorker();
  const { workflowService } = world.environment.connection;
  await workflowService.registerNamespace({
    namespace: BARE,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await until('the namespace exists', () =>
    workflowService.describeNamespace({ namespace: BARE }).then(
      () => true,
      () => false,
    ),
  );
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

/** Runs `foray doctor` with changed settings. `bad` has the parts with a warning or a failure. */
async function doctor(env: NodeJS.ProcessEnv = {}, ...args: string[]) {
  const all = { ...environmentOf(world.settings), ...env };
  const { code, stdout, stderr } = await foray(folder, ['doctor', '--json', ...args], { env: all });
  expect(stderr).toBe('');
  const { healthy, parts } = JSON.parse(stdout) as { healthy: boolean; parts: Part[] };
  expect(stdout).not.toContain(KEY);
  return { code, healthy, parts, bad: parts.filter(({ state }) => ['warning', 'failed'].includes(state)) };
}

describe('foray doctor', () => {
  test('says that a Temporal server refuses the connection when the server answers with an error', async () => {
    const server = createServer().on('stream', (stream) => {
      const status = { 'grpc-status': '7', 'grpc-message': 'Request unauthorized.' };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { parts } = await doctor({ TEMPORAL_ADDRESS: address });
    server.close();
    expect(parts.find(({ part }) => part === 'Temporal')).toEqual({
      part: 'Temporal',
      state: 'failed',
      message: `The Temporal server at ${address} refuses the connection: Request unauthorized.`,
      advice: 'Check the TEMPORAL_* variables.',
    });
  });

  test('prints one line for each part, and creates nothing', async () => {
    const env = environmentOf(world.settings);
    const { code, stdout } = await foray(folder, ['doctor'], { env });
    const lines = stdout.trim().split('\n');
    const names = lines.map((line) => line.slice(9, 28).trim());
    expect(names).toEqual([
      ...['Node', 'home', 'Temporal', 'namespace', 'search attributes', 'workers'],
      ...['model service', 'key', 'store', 'disk', 'disk', 'clock'],
    ]);
    expect(lines.filter((line) => !/^(ok|warning +disk)/.test(line))).toEqual([]);
    expect(stdout).not.toContain(KEY);
    expect(code).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each<[string, NodeJS.ProcessEnv, string, RegExp, RegExp]>([
    [
      'a Temporal server that does not run',
      { TEMPORAL_ADDRESS: '127.0.0.1:1' },
      'Temporal',
      /127\.0\.0\.1:1 cannot be reached/,
      /foray dev/,
    ],
    [
      'an unknown namespace',
      { TEMPORAL_NAMESPACE: 'nowhere' },
      'namespace',
      /no namespace "nowhere"/,
      /namespace create --namespace nowhere --address/,
    ],
    ['no worker', { FORAY_TASK_QUEUE: 'other' }, 'workers', /task queue "other"/, /foray worker/],
    [
      'a model service that does not run',
      { FORAY_SERVICE_URL: 'http://127.0.0.1:1' },
      'model service',
      /cannot be reached/,
      /FORAY_SERVICE_URL/,
    ],
    ['a wrong key', { FORAY_API_KEY: 'not-the-key' }, 'key', /refuses the key/, /FORAY_API_KEY/],
    ['a home that cannot be a folder', { FORAY_HOME: '/dev/null/home' }, 'disk', /\/dev\/null/, /--home/],
  ])('finds %s', async (_, env, part, message, advice) => {
    const { code, healthy, bad } = await doctor(env);
    expect([code, healthy]).toEqual([1, false]);
    expect(bad).toContainEqual({
      part,
      state: 'failed',
      message: expect.stringMatching(message),
      advice: expect.stringMatching(advice),
    });
    expect(JSON.stringify(bad)).not.toContain('not-the-key');
  });

  test('asks no Web UI for its time if Temporal does not run, because it may belong to another Temporal', async () => {
    const FORAY_WEB_UI = new URL(world.settings.service.url).origin;
    const { parts } = await doctor({ TEMPORAL_ADDRESS: '127.0.0.1:1', FORAY_WEB_UI });
    expect(parts.at(-1)).toMatchObject({
      part: 'clock',
      message: 'The clock of this machine agrees with the model service.',
    });
  });

  test('finds an address where there is no model service', async () => {
    const url = `${new URL(world.settings.service.url).origin}/elsewhere`;
    const { bad } = await doctor({ FORAY_SERVICE_URL: url });
    expect(bad).toContainEqual({
      part: 'model service',
      state: 'failed',
      message: expect.stringMatching(/404.*\.$/),
      advice: expect.stringContaining(`Check that ${url} is the address of a model service`),
    });
  });

  test('names the command that adds missing search attributes', async () => {
    const { bad } = await doctor({ TEMPORAL_NAMESPACE: BARE });
    expect(bad).toContainEqual({
      part: 'search attributes',
      state: 'warning',
      message: expect.stringContaining('lacks ForayModel, ForayPhase, ForayOwner'),
      advice: expect.stringContaining(
        'search-attribute create --name ForayModel --type Keyword --name ForayPhase',
      ),
    });
  });

  test('finds a store of a newer foray, and accepts a store of an earlier foray', async () => {
    const file = join(world.folder, 'other.db');
    const store = `sqlite:${file}`;
    await (await openStore(store)).close();
    const change = (statement: string): void => {
      const database = new DatabaseSync(file);
      database.exec(statement);
      database.close();
    };
    change("insert into kysely_migration (name, timestamp) values ('zz-later', '')");
    const newer = await doctor({ FORAY_STORE: store });
    expect(newer.bad).toContainEqual(expect.objectContaining({ part: 'store', advice: 'Update foray.' }));
    change('delete from kysely_migration where name = (select max(name) from kysely_migration)');
    change('delete from kysely_migration where name = (select max(name) from kysely_migration)');
    const older = await doctor({ FORAY_STORE: store });
    expect(older.parts).toContainEqual(
      expect.objectContaining({ part: 'store', state: 'ok', message: expect.stringContaining('earlier') }),
    );
  });

  test('finds a full disk', async () => {
    const disk = smallDisk('2m');
    if (disk === undefined) return console.warn('left out: a file system cannot be mounted here');
    try {
      mkdirSync(join(disk.folder, 'home'));
      fillDisk(join(disk.folder, 'filler'));
      const { bad } = await doctor({}, '--home', join(disk.folder, 'home'));
      expect(bad).toContainEqual(expect.objectContaining({ part: 'disk', state: 'failed' }));
    } finally {
      disk.remove();
    }
  });
});

test('foray --version names the versions and places of its parts', async () => {
  const { code, stdout } = await foray(folder, ['--version']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^foray \d+\.\d+\.\d+ \(\/.+\)\nNode 24\.\S+ \(\/.+\)\nTemporal SDK \d+\.\d+\.\d+\nTemporal server: \/.+\n$/,
  );
});
