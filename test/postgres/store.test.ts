import { afterAll, beforeAll } from '@jest/globals';
import { describeCounts, describeManyWriters } from '../store/counts.ts';
import { describeGrowth } from '../store/growth.ts';
import { describeLately } from '../store/lately.ts';
import { describeStore } from '../store/suite.ts';
import { describeVersions } from '../store/versions.ts';
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
describeGrowth(
  'points that grow, in PostgreSQL',
  postgresDatabase(() => server),
);
describeVersions(
  'versions, services and failed attempts in PostgreSQL',
  postgresDatabase(() => server),
);
describeLately(
  'what has finished lately, in PostgreSQL',
  postgresDatabase(() => server),
);
describeCounts(
  'the counts of runs, in PostgreSQL',
  postgresDatabase(() => server),
  0.1,
);
describeManyWriters(postgresDatabase(() => server));
