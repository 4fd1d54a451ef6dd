import { connect, createServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Foray } from '../../src/client/index.ts';
import { OwnKey } from '../../src/server/keys.ts';
import { startServer } from '../../src/server/app.ts';
import { openPostgres } from '../../src/service/database/postgres.ts';
import { Presence } from '../../src/service/database/presence.ts';
import { openStore, tellLost } from '../../src/store/index.ts';
import { ask } from '../server/support.ts';
import { healthOf, onCleanup, startTestService } from '../service/support.ts';
import { startFleet } from '../fleet/fleet.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { ownPort } from '../support/own-port.ts';
import { startProxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';
import { withoutServers } from '../support/without-servers.ts';
import { KEY } from '../support/world.ts';

/** While nothing works, a database that goes away is noticed: one line when it goes, and one when it is back. */

let server: Postgres;
let database: string;
beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  database = await server.database();
});
afterAll(() => server.remove());

const SHOWN = /^postgres:\/\/127\.0\.0\.1:\d+\/\w+/;
const shownOf = (address: string): string => SHOWN.exec(address.replace(/\/\/.*@/, '//'))![0];

test('an idle model service whose database stops says so once, names it in its health, and says once that it is back', async () => {
  const log = new PassThrough();
  let logged = '';
  log.on('data', (text: Buffer) => (logged += text.toString()));
  const lines: string[] = [];
  const { running } = await startTestService({ database, log, onProblem: (line) => lines.push(line) });
  const codes = async () => (await healthOf(running.url)).problems.map(({ code }) => code);
  lines.length = 0;
  await server.stop();
  await until('the health names the problem', async () => (await codes()).includes('DATABASE_AWAY'));
  expect(await codes()).toEqual(['DATABASE_AWAY']);
  await server.start();
  await until('the problem is over', async () => (await codes()).length === 0);
  const away = `The database ${shownOf(database)} cannot be reached`;
  expect(lines).toEqual([expect.stringContaining(away), expect.stringContaining(`This is over: ${away}`)]);
  expect(logged).not.toMatch(/"stack"|"level":"error"/);
});

test('an idle model service whose database no longer answers says so', async () => {
  const proxy = await startProxy(Number(new URL(database).port), () => 0);
  onCleanup(() => proxy.close());
  const through = database.replace(/:\d+\//, `:${proxy.port}/`);
  const { running } = await startTestService({ database: through });
  const codes = async () => (await healthOf(running.url)).problems.map(({ code }) => code);
  await proxy.spoil('black hole');
  await until('the health names the problem', async () => (await codes()).includes('DATABASE_AWAY'));
  await proxy.heal();
  await until('the problem is over', async () => (await codes()).length === 0);
});

test("a worker's store that stops is told once, and so is its return; foray's own server names it in its health", async () => {
  const store = await openStore(database);
  const lines: string[] = [];
  const endTelling = tellLost(store, (line) => lines.push(line));
  const settings = withoutServers(database);
  const foray = await Foray.open(settings);
  const running = await startServer({ foray, settings, keys: new OwnKey(KEY, 'somebody') });
  const health = () => ask(`${running.url}/api/v1/health`);
  await until('the server has its store', async () => (await health()).status === 200);
  await server.stop();
  await until('the server is not healthy', async () => (await health()).status === 503);
  const { body } = await health();
  expect(JSON.parse(body)).toMatchObject({
    code: 'STORE_UNREACHABLE',
    detail: 'The store cannot be reached.',
  });
  await until('the loss is told', () => lines.length > 0);
  await server.start();
  await until('the server is healthy', async () => (await health()).status === 200);
  await until('the return is told', () => lines.length > 1);
  expect(lines).toEqual([
    expect.stringContaining(`The store ${shownOf(database)} cannot be reached`),
    'The store is back.',
  ]);
  endTelling();
  await running.close();
  await foray.close();
  await store.close();
});

test('a service for executors on other machines whose database is down blames the database, and not Temporal', async () => {
  const fleet = await startFleet(undefined, { database });
  const codes = async () => (await healthOf(fleet.service.running.url)).problems.map(({ code }) => code);
  await server.stop();
  await until('the health document names the problem', async () => (await codes()).includes('DATABASE_AWAY'));
  expect(await codes()).toEqual(['DATABASE_AWAY']);
  expect(fleet.problems.join('\n')).toContain('The database postgres://127.0.0.1');
  expect(fleet.problems.join('\n')).not.toMatch(/Temporal/);
  await server.start();
  await until('the problem is over', async () => (await codes()).length === 0);
});

/** Tells a client that the server ends the connection. */
const FATAL = (() => {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');
  const head = Buffer.from('E....');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
})();

/** A proxy before a server. The first connection that listens to notifications ends together with the answer. */
async function startEndingProxy(target: number): Promise<{ port: number; hasEnded: () => boolean }> {
  let hasEnded = false;
  const proxy = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    let listens = false;
    client.on('data', (data) => {
      listens ||= data.includes('LISTEN');
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (!listens || hasEnded) return void client.write(data);
      hasEnded = true;
      client.end(Buffer.concat([data, FATAL]));
      upstream.destroy();
    });
    client.on('error', () => {}).on('close', () => upstream.destroy());
    upstream.on('error', () => {}).on('close', () => client.end());
  });
  const port = await ownPort();
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  onCleanup(() => new Promise<void>((resolve) => void proxy.close(() => resolve())));
  return { port, hasEnded: () => hasEnded };
}

test('a service connects again if its connection ends at the moment when it is complete', async () => {
  const direct = await openPostgres(database);
  onCleanup(() => direct.close());
  const { port, hasEnded } = await startEndingProxy(Number(new URL(database).port));
  const place = { name: 'The database', shown: 'of a test', setBy: '--database' };
  const presence = await Presence.open(database.replace(/:\d+\//, `:${port}/`), place, direct.sql);
  onCleanup(() => presence.close());
  const join = () =>
    presence.join('holder', 'folder').then(
      () => true,
      () => false,
    );
  await until('the service is known again', join);
  expect(hasEnded()).toBe(true);
  expect(await presence.absent(['holder', 'folder', 'nobody'])).toEqual(['nobody']);
});
