import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Server } from '../../../src/server/app.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { foray as command } from '../../support/cli.ts';
import { until } from '../../support/until.ts';
import { KEY, rehearsal, startWorld, type World } from '../../support/world.ts';
import { ask, serverOf } from '../support.ts';

/** Tests that a newer foray may change the store while a server and a worker use it. */

let world: World;
let server: Server;

beforeAll(async () => {
  world = await startWorld();
  server = await serverOf(world);
});
afterAll(async () => {
  await server.close();
  await world.close();
});

function change(sql: string): void {
  const database = new DatabaseSync(world.settings.store.slice('sqlite:'.length), { timeout: 10_000 });
  database.exec(sql);
  database.close();
}

test('pages, API, worker and commands report that a newer foray has changed the store, and no run is lost', async () => {
  const stop = await world.startWorker();
  await world.foray.submit(rehearsal({ count: 8, seconds: 2 }), { id: 'live' });
  const headers = { authorization: `Bearer ${KEY}` };
  const get = (path: string, accept: string) => ask(server.url + path, { headers: { ...headers, accept } });
  // somebody watches the page of the campaign
  await get('/campaigns/live', 'text/html');
  await until('a run is done', async () => (await world.foray.counts('live')).done > 0);

  change("insert into kysely_migration values ('999-of-the-future', '2030-01-01T00:00:00Z')");
  const storePath = world.settings.store.slice('sqlite:'.length);
  const says = 'A newer foray has changed the store';
  const asked = ['/', '/campaigns/live', '/campaigns/live/runs', '/campaigns/live/live', '/api/v1/campaigns'];
  for (const path of asked) {
    const accept = /live\/live|api/.test(path) ? 'application/json' : 'text/html';
    const refused = await until(`${path} refuses`, async () => {
      const answer = await get(path, accept);
      return answer.status !== 200 && answer;
    });
    expect([path, refused.status]).toEqual([path, 503]);
    expect([path, refused.body]).toEqual([path, expect.stringContaining(says)]);
    expect(refused.body).toContain('Stop this foray, and start the newer one.');
    expect(refused.body).not.toContain(storePath);
    if (accept !== 'text/html') expect(JSON.parse(refused.body)).toMatchObject({ code: 'STORE_NEWER' });
  }
  const handle = world.environment.client.workflow.getHandle('live');
  await until('an activity reports the newer store', async () => {
    const { raw } = await handle.describe();
    return raw.pendingActivities?.some(({ lastFailure }) => lastFailure?.message?.includes(says));
  });
  const started = await command(world.folder, ['list', '--store', world.settings.store]);
  expect(started).toMatchObject({ code: 2, stderr: expect.stringContaining('was written by a newer foray') });

  // removes the mark of the newer foray; the worker then continues the campaign as a newer worker would
  change("delete from kysely_migration where name like '999%'");
  expect((await toTheEnd(world, 'live')).phase).toBe('completed');
  expect((await world.rows('live')).map(({ status }) => status)).toEqual(Array(8).fill('done'));
  expect(new Set(world.executions())).toEqual(new Set([1]));
  await stop();
});
