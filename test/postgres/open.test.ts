import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Kysely, sql } from 'kysely';
import { isForayError } from '../../src/errors.ts';
import { openStore } from '../../src/store/index.ts';
import { BEGINNING, otherPoints } from '../../src/store/results/read.ts';
import type { Tables } from '../../src/store/tables.ts';
import { postgresDialect } from '../../src/postgres/dialect.ts';
import { addNamed, campaign, done, upTo } from '../store/fixtures.ts';
import { foray, isRunning } from '../support/cli.ts';
import { PASSWORD, type Postgres, startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

let server: Postgres;
let address: string;
beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  address = await server.database();
});
afterAll(() => server.remove());

const place = { name: 'The store', shown: 'of a test', setBy: '--store' };

async function refusal(attempt: Promise<unknown>): Promise<{ code: string; text: string }> {
  try {
    await attempt;
  } catch (error) {
    if (!isForayError(error)) throw error;
    return { code: error.code, text: `${error.toLine()} ${error.stack}` };
  }
  throw new Error('the attempt was not refused');
}

/** The number of foray's connections to the database, as the server counts them. */
async function connections(): Promise<number> {
  const counting = "select count(*) as n from pg_stat_activity where application_name = 'foray'";
  return Number((await server.query(address, counting))[0]!.n);
}

test('a new store that is opened six times at once is one store, and leaves no connections after it is closed', async () => {
  const stores = await Promise.all(Array.from({ length: 6 }, () => openStore(address)));
  expect(new Set(stores.map(({ id }) => id)).size).toBe(1);
  await Promise.all(stores.map((store, n) => store.putFile(String(n), new Uint8Array([n]), 1)));
  for (const n of stores.keys()) expect(await stores[0]!.getFile(String(n))).toEqual(Buffer.from([n]));
  for (const store of stores) await store.close();
  await until('the server has no connections left', async () => (await connections()) === 0);
});

test('an address may begin with postgres: or postgresql:', async () => {
  const first = await openStore(address);
  const second = await openStore(address.replace('postgres:', 'postgresql:'));
  expect(second.id).toBe(first.id);
  await first.close();
  await second.close();
});

test('foray refuses an address that cannot be used, and the error does not contain the password', async () => {
  const wrong: [string, (address: string) => string, string][] = [
    ['where no server listens', (at) => at.replace(/:\d+\/\w+$/, ':1/foray'), 'STORE_UNREACHABLE'],
    ['of an unknown host', () => `postgres://foray:${PASSWORD}@nowhere.invalid/foray`, 'STORE_UNREACHABLE'],
    ['of a database that does not exist', (at) => at.replace(/\w+$/, 'nothing'), 'STORE_UNUSABLE'],
    ['with another password', (at) => at.replace(PASSWORD, `${PASSWORD}-no`), 'STORE_UNUSABLE'],
    ['of another user', (at) => at.replace('//foray', '//nobody'), 'STORE_UNUSABLE'],
  ];
  for (const [what, change, expected] of wrong) {
    const { code, text } = await refusal(openStore(change(address)));
    expect([what, code]).toEqual([what, expected]);
    expect(text).not.toContain(PASSWORD);
    await until('the server has no connection left', async () => (await connections()) === 0);
  }
});

test('the command line says at which address no server listens, and exits with 3', async () => {
  const gone = address.replace(/:\d+\/\w+$/, ':1/foray');
  const { code, stderr } = await foray(process.cwd(), ['list', '--store', gone]);
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /^foray: The store postgres:\/\/127\.0\.0\.1:1\/foray cannot be reached: .*ECONNREFUSED/,
  );
  expect(stderr).not.toContain(PASSWORD);
});

test('foray refuses a store of a newer foray, and leaves no connections', async () => {
  await (await openStore(address)).close();
  await server.query(
    address,
    "insert into kysely_migration values ('999-of-the-future', '2030-01-01T00:00:00Z')",
  );
  const { code, text } = await refusal(openStore(address));
  expect(code).toBe('STORE_NEWER');
  const { host, pathname } = new URL(address);
  expect(text).toContain(`postgres://${host}${pathname} was written by a newer foray`);
  await until('the server has no connection left', async () => (await connections()) === 0);
});

test('foray refuses an open store after a newer foray has changed it', async () => {
  const store = await openStore(address);
  expect(await store.listCampaigns()).toEqual([]);
  await server.query(
    address,
    "insert into kysely_migration values ('999-of-the-future', '2030-01-01T00:00:00Z')",
  );
  const { code, text } = await until('the store refuses a request', () =>
    store.listCampaigns().then(
      () => undefined,
      (error: unknown) => refusal(Promise.reject(error as Error)),
    ),
  );
  expect(code).toBe('STORE_NEWER');
  expect(text).toContain('A newer foray has changed the store postgres://');
  expect(text).not.toContain(PASSWORD);
  await server.query(address, "delete from kysely_migration where name like '999%'");
  expect(await store.listCampaigns()).toEqual([]);
  await store.close();
});

test('a store works again after its server has stopped and started', async () => {
  const store = await openStore(address);
  await store.addCampaign({ campaign: campaign('flu'), definition: '', digest: '' }, 1);
  await server.stop();
  const { code, text } = await refusal(store.getCampaign('flu'));
  expect(code).toBe('STORE_UNREACHABLE');
  expect(text).not.toContain(PASSWORD);
  await server.start();
  expect(await store.getCampaign('flu')).toBeDefined();
  await store.close();
});

test('if the server is killed during a transaction, the transaction fails and foray continues', async () => {
  const db = new Kysely<unknown>({ dialect: postgresDialect(address, place) });
  const { code } = await refusal(
    db.transaction().execute(async (transaction) => {
      const asked = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
      await server.kill();
      // the connection breaks while it is idle
      await until('the connection has ended', () => !isRunning(asked.rows[0]!.pid));
      await sql`select 1`.execute(transaction);
    }),
  );
  expect(code).toBe('STORE_UNREACHABLE');
  await server.start();
  await sql`select 1`.execute(db);
  await db.destroy();
});

test('if PostgreSQL cannot store a character, foray replaces only this character', async () => {
  const store = await openStore(address);
  await store.addCampaign({ campaign: campaign('flu'), definition: 'a\0b', digest: '' }, 1);
  expect((await store.getCampaign('flu'))?.definition).toBe('a\uFFFDb');
  await store.close();
});

// without statistics of a campaign, PostgreSQL expects no rows of it and makes slow plans
test('PostgreSQL joins the results of a new campaign by the index, and does not compare all runs with each other', async () => {
  const store = await openStore(address);
  const addDone = async (id: string, points: number, replications: number): Promise<void> => {
    await addNamed(store, upTo(points).map(String), replications, id);
    const runs = upTo(points * replications).map((seq) => done(seq));
    await store.observe(id, runs, 2);
  };
  for (const id of ['first', 'second', 'third']) await addDone(id, 500, 4);
  await server.query(address, 'analyze');
  await addDone('new', 400, 3);
  const [added] = await server.query(address, "select number from campaigns where id = 'new'");
  const db = new Kysely<Tables>({ dialect: postgresDialect(address, place) });
  const plan = await otherPoints(db, Number(added!['number']), BEGINNING)
    .limit(2_000)
    .explain('json', sql`analyze`);
  // the plan shows these words if a join reads rows and then drops them
  expect(JSON.stringify(plan)).not.toMatch(/Rows Removed by Join Filter/);
  await db.destroy();
  await store.close();
});
