import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Kysely, sql } from 'kysely';
import { postgresDialect } from '../../src/postgres/dialect.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { BEGINNING, otherPoints } from '../../src/store/results/read.ts';
import type { Tables } from '../../src/store/tables.ts';
import { addNamed, done, upTo } from '../store/fixtures.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';

/**
 * If the statistics of PostgreSQL do not contain a campaign, PostgreSQL expects no rows of this campaign
 * and makes slow plans.
 */

const place = { name: 'The store', shown: 'of a test', setBy: '--store' };

let server: Postgres;
let address: string;
let store: Store;
beforeAll(async () => {
  server = await startPostgres();
  address = await server.database();
  store = await openStore(address);
  for (const id of ['first', 'second', 'third']) await addDone(id, 500, 4);
  await server.query(address, 'analyze');
});
afterAll(async () => {
  await store.close();
  await server.remove();
});

async function addDone(id: string, points: number, replications: number): Promise<void> {
  await addNamed(store, upTo(points).map(String), replications, id);
  const runs = upTo(points * replications).map((seq) => done(seq));
  await store.observe(id, runs, 2);
}

test('PostgreSQL joins the results of a new campaign by the index, and does not compare all runs with each other', async () => {
  await addDone('new', 400, 3);
  const [campaign] = await server.query(address, "select number from campaigns where id = 'new'");
  const number = Number(campaign!['number']);
  const db = new Kysely<Tables>({ dialect: postgresDialect(address, place) });
  const plan = await otherPoints(db, number, BEGINNING)
    .limit(2_000)
    .explain('json', sql`analyze`);
  // the plan shows these words if a join reads rows and then drops them
  expect(JSON.stringify(plan)).not.toMatch(/Rows Removed by Join Filter/);
  await db.destroy();
});
