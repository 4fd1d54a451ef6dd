import { afterAll, beforeAll } from '@jest/globals';
import { describeManyWriters } from '../store/contract/counts.ts';
import { describeStore } from '../store/contract/index.ts';
import { type Postgres, postgresDatabase, startPostgres } from '../support/postgres.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

describeStore(
  'a store in PostgreSQL',
  postgresDatabase(() => server),
  0.1,
);
describeManyWriters(postgresDatabase(() => server));
