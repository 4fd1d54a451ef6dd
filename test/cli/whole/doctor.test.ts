import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Check } from '../../../src/cli/doctor/check.ts';
import { checkStore } from '../../../src/cli/doctor/machine.ts';
import { checkService, ownIds } from '../../../src/cli/doctor/service.ts';
import { checkTemporal, lackOf } from '../../../src/cli/doctor/temporal.ts';
import { Foray, type Settings } from '../../../src/client/index.ts';
import { openStore } from '../../../src/store/index.ts';
import { foray } from '../../support/cli.ts';
import { fillDisk, smallDisk } from '../../support/small-disk.ts';
import { until } from '../../support/until.ts';
import { environmentOf, startWorkerProcess } from '../../support/worker.ts';
import { KEY, rehearsal, startWorld, type World } from '../../support/world.ts';

let world: World;
let folder: string;
const temporalAt = (address: string): Partial<Settings> => ({
  temporal: { ...world.settings.temporal, connectionOptions: { address } },
});
const inNamespace = (namespace: string): Partial<Settings> => ({
  temporal: { ...world.settings.temporal, namespace },
});
/** A namespace without the search attributes of campaigns. */
const BARE = 'bare';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'foray-doctor-'));
  world = await startWorld();
  await world.startWorker({ buildId: 'now' });
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

/** What `foray doctor` says about Temporal and its workers, and about the model service, with changed settings. */
async function partsOf(changes: Partial<Settings> = {}): Promise<Check[]> {
  const settings = { ...world.settings, ...changes };
  return [...(await checkTemporal(settings, await ownIds(settings))), ...(await checkService(settings))];
}

/** What `foray doctor` says about a store. */
const storeAt = (store: string): Promise<Check> =>
  checkStore({ home: folder, taskQueue: 'foray', owner: 'somebody' }, { ...world.settings, store }, false);

/** Runs `foray doctor` with changed settings. `bad` has the parts with a warning or a failure. */
async function doctor(env: NodeJS.ProcessEnv = {}, ...args: string[]) {
  const all = { ...environmentOf(world.settings), ...env };
  const { code, stdout, stderr } = await foray(folder, ['doctor', '--json', ...args], { env: all });
  expect(stderr).toBe('');
  const { healthy, parts } = JSON.parse(stdout) as { healthy: boolean; parts: Check[] };
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
    const parts = await partsOf(temporalAt(address));
    server.close();
    expect(parts.find(({ part }) => part === 'Temporal')).toEqual({
      part: 'Temporal',
      state: 'failed',
      message: `The Temporal server at ${address} refuses the connection: Request unauthorized.`,
      advice: 'Check the TEMPORAL_* variables.',
    });
  });

  test('says that another process locks the store, because campaigns cannot go on', async () => {
    const holder = new DatabaseSync(world.settings.store.replace('sqlite:', ''));
    holder.exec('BEGIN IMMEDIATE');
    const { code, bad } = await doctor();
    holder.close();
    expect(bad.filter(({ state }) => state === 'failed')).toEqual([
      {
        part: 'store',
        state: 'failed',
        message: expect.stringContaining('is in use: database is locked.'),
        advice: expect.stringContaining('end its process'),
      },
    ]);
    expect(code).toBe(1);
  });

  test('prints one line for each part, and creates nothing', async () => {
    const env = environmentOf(world.settings);
    const { code, stdout } = await foray(folder, ['doctor'], { env });
    const lines = stdout.trim().split('\n');
    const names = lines.map((line) => line.slice(9, 28).trim());
    expect(names).toEqual([
      ...['Node', 'home', 'Temporal', 'namespace', 'search attributes', 'workers', 'builds'],
      ...['model service', 'key', 'store', 'campaigns', 'disk', 'disk', 'clock'],
    ]);
    expect(lines.filter((line) => !/^(ok|warning +disk|skipped +campaigns)/.test(line))).toEqual([]);
    expect(stdout).not.toContain(KEY);
    expect(code).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each<[string, () => Partial<Settings>, string, RegExp, RegExp]>([
    [
      'a Temporal server that does not run',
      () => temporalAt('127.0.0.1:1'),
      'Temporal',
      /127\.0\.0\.1:1 cannot be reached/,
      /foray dev/,
    ],
    [
      'an unknown namespace',
      () => inNamespace('nowhere'),
      'namespace',
      /no namespace "nowhere"/,
      /namespace create --namespace nowhere --address/,
    ],
    ['no worker', () => ({ taskQueue: 'other' }), 'workers', /task queue "other"/, /foray worker/],
    [
      'a model service that does not run',
      () => ({ service: { url: 'http://127.0.0.1:1', key: KEY } }),
      'model service',
      /cannot be reached/,
      /FORAY_SERVICE_URL/,
    ],
  ])('finds %s', async (_, changes, part, message, advice) => {
    expect(await partsOf(changes())).toContainEqual({
      part,
      state: 'failed',
      message: expect.stringMatching(message),
      advice: expect.stringMatching(advice),
    });
  });

  test('finds a wrong key, and a home that cannot be a folder', async () => {
    const { code, healthy, bad } = await doctor({
      FORAY_API_KEY: 'not-the-key',
      FORAY_HOME: '/dev/null/home',
    });
    expect([code, healthy]).toEqual([1, false]);
    for (const [part, message, advice] of [
      ['key', 'refuses the key', 'FORAY_API_KEY'],
      ['disk', '/dev/null', '--home'],
    ])
      expect(bad).toContainEqual({
        part,
        state: 'failed',
        message: expect.stringContaining(message!),
        advice: expect.stringContaining(advice!),
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
    expect(await partsOf({ service: { url, key: KEY } })).toContainEqual({
      part: 'model service',
      state: 'failed',
      message: expect.stringMatching(/404.*\.$/),
      advice: expect.stringContaining(`Check that ${url} is the address of a model service`),
    });
  });

  test('names the command that adds missing search attributes', async () => {
    expect(await partsOf(inNamespace(BARE))).toContainEqual({
      part: 'search attributes',
      state: 'warning',
      message: expect.stringContaining('lacks ForayModel, ForayPhase, ForayOwner'),
      advice: expect.stringContaining(
        'search-attribute create --name ForayModel --type Keyword --name ForayPhase',
      ),
    });
  });

  test('finds a store of a newer foray, and accepts a store with older tables', async () => {
    const file = join(world.folder, 'other.db');
    const store = `sqlite:${file}`;
    await (await openStore(store)).close();
    const change = (statement: string): void => {
      const database = new DatabaseSync(file);
      database.exec(statement);
      database.close();
    };
    change("insert into kysely_migration (name, timestamp) values ('zz-later', '')");
    expect(await storeAt(store)).toMatchObject({ part: 'store', state: 'failed', advice: 'Update foray.' });
    change('delete from kysely_migration where name = (select max(name) from kysely_migration)');
    change('delete from kysely_migration where name = (select max(name) from kysely_migration)');
    expect(await storeAt(store)).toMatchObject({
      part: 'store',
      state: 'ok',
      message: expect.stringContaining('older tables'),
    });
  });

  test('finds that the store is gone, although a worker works on the task queue', async () => {
    const { healthy, bad } = await doctor({ FORAY_STORE: `sqlite:${join(world.folder, 'gone.db')}` });
    expect(healthy).toBe(false);
    expect(bad).toContainEqual(
      expect.objectContaining({
        part: 'store',
        state: 'failed',
        message: expect.stringContaining('but a worker runs: its store was removed'),
      }),
    );
  });

  test('finds a worker whose store was replaced by a copy of its file, although no campaign is open', async () => {
    const file = join(folder, 'copied.db');
    const settings = { ...world.settings, taskQueue: 'copied', store: `sqlite:${file}` };
    const worker = startWorkerProcess(settings);
    try {
      await worker.ready;
      const of = { FORAY_TASK_QUEUE: 'copied', FORAY_STORE: settings.store };
      expect((await doctor(of)).bad.map(({ part }) => part)).not.toContain('workers');
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
      const { healthy, bad } = await doctor(of);
      expect(healthy).toBe(false);
      expect(bad).toContainEqual(
        expect.objectContaining({
          part: 'workers',
          message: expect.stringContaining('its store is another file, which was moved, replaced or copied'),
        }),
      );
    } finally {
      await worker.kill();
    }
  });

  test('finds a worker with another store or a wrong key beside a right one, and the worker says it at its start', async () => {
    const taskQueue = 'beside';
    const settings = { ...world.settings, taskQueue };
    const right = startWorkerProcess(settings);
    const wrong = startWorkerProcess({
      ...settings,
      store: `sqlite:${join(folder, 'another.db')}`,
      service: { ...settings.service, key: 'not-the-key' },
    });
    try {
      await Promise.all([right.ready, wrong.ready]);
      expect(wrong.said()).toContain('refuses the key of this worker');
      await until('doctor finds both workers, and that one is wrong', async () => {
        const parts = await partsOf({ taskQueue });
        const { message = '', state } = parts.find(({ part }) => part === 'workers') ?? {};
        // Temporal lists a worker a moment after its first poll
        const isListed = [right, wrong].every(({ child }) => message.includes(`${child.pid}@`));
        return state === 'failed' && isListed && message;
      }).then((message) => {
        expect(message).toMatch(
          new RegExp(
            `these settings\\. ${wrong.child.pid}@\\S+ foray \\S+ \\(build \\S+\\): it has another store, and the model service refused its key when it started\\.$`,
          ),
        );
      });
    } finally {
      await Promise.all([right.kill(), wrong.kill()]);
    }
  });

  test('says which builds have campaigns, and that no build is the current one', async () => {
    const own = await startWorld({ beside: world });
    const { taskQueue } = own.settings;
    const builds = async () => (await partsOf(own.settings)).find(({ part }) => part === 'builds');
    const other = startWorkerProcess(own.settings, ['--no-current']);
    try {
      await other.ready;
      await until('doctor knows the worker', async () => (await builds())?.state === 'failed');
      expect(await builds()).toEqual({
        part: 'builds',
        state: 'failed',
        message: 'No build is the current one, so new campaigns wait.',
        advice: expect.stringMatching(
          `^temporal worker deployment set-current-version --deployment-name ${taskQueue} --build-id \\S+-[0-9a-f]{12} `,
        ),
      });
      const end = await own.startWorker({ buildId: 'one' });
      const { id } = await own.foray.submit(rehearsal({ count: 1, seconds: 600 }));
      await until('the campaign is on its build', async () => (await own.foray.status(id)).build === 'one');
      expect(await builds()).toMatchObject({ state: 'ok', message: 'one gets new campaigns.' });
      await own.startWorker({ buildId: 'two' });
      const message =
        'two gets new campaigns. Other builds: 1 campaign on one. A paused campaign stays there at least until it goes on or no worker of its build is left.';
      await until('doctor counts it', async () => (await builds())?.message === message);
      await own.foray.cancel(id);
      await end();
    } finally {
      await other.kill();
      await own.close();
    }
  });

  test('names what an older Temporal server cannot do', () => {
    expect(lackOf('1.29.1')).toMatch(/^It cannot move a running campaign to a newer build/);
    expect([lackOf('1.30.0'), lackOf('1.32.0'), lackOf('2.0.0')]).toEqual(['', '', '']);
  });

  test('finds a campaign whose worker is frozen', async () => {
    const settings = { ...world.settings, taskQueue: 'frozen', store: `sqlite:${join(folder, 'frozen.db')}` };
    const client = await Foray.open(settings);
    const worker = startWorkerProcess(settings);
    try {
      await worker.ready;
      const { id } = await client.submit(rehearsal({ count: 1, first: 1, seconds: 600 }));
      await until('the run is requested', async () => (await client.counts(id)).waiting === 0);
      worker.child.kill('SIGSTOP');
      const { healthy, bad } = await doctor({ FORAY_TASK_QUEUE: 'frozen', FORAY_STORE: settings.store });
      expect(healthy).toBe(false);
      expect(bad).toContainEqual({
        part: 'campaigns',
        state: 'failed',
        message: expect.stringContaining(`${id} cannot go on: no worker answered in time`),
        advice: `"foray status ${id}" shows its state.`,
      });
    } finally {
      await worker.kill();
      await client.close();
    }
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
