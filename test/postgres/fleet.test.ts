import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { healthOf } from '../service/support.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { startFleet } from '../fleet/fleet.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

test('a service for executors on other machines whose database is down blames the database, and not Temporal', async () => {
  const fleet = await startFleet(undefined, { database: await server.database() });
  const codes = async () => (await healthOf(fleet.service.running.url)).problems.map(({ code }) => code);
  await server.stop();
  await until('the health document names the problem', async () => (await codes()).includes('DATABASE_AWAY'));
  expect(await codes()).toEqual(['DATABASE_AWAY']);
  expect(fleet.problems.join('\n')).toContain('The database postgres://127.0.0.1');
  expect(fleet.problems.join('\n')).not.toMatch(/Temporal/);
  await server.start();
  await until('the problem is over', async () => (await codes()).length === 0);
});
