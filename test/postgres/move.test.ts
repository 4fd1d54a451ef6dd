import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { moveService } from '../../src/service/move/move.ts';
import { outputsOf, REHEARSAL, startTestService, temporaryFolder } from '../service/support.ts';
import { foray } from '../support/cli.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

test('a repeated move counts the runs of the database, and says how many runs of the folder it lacks', async () => {
  const [database, dataDir] = [await server.database(), temporaryFolder()];
  /** Starts the old service, and lets it execute this number of runs more. */
  const execute = async (first: number, count: number) => {
    const service = await startTestService({ dataDir, modelDirs: [REHEARSAL] });
    const version = await service.latest('Rehearsal');
    for (let Value = first; Value < first + count; Value += 1)
      await outputsOf(service, version, { Seconds: 0, Value });
    await service.close();
  };
  await execute(1, 3);
  const { rows: first } = await moveService({ dataDir, database });
  expect(first).toMatchObject({ runs: 3, lacking: 0 });
  await execute(4, 2);
  expect((await moveService({ dataDir, database })).rows).toEqual({ ...first, lacking: 2 });
  const again = await foray(dataDir, ['service', 'move', '--data', dataDir, '--database', database]);
  expect(again.code).toBe(0);
  expect(again.stdout).toMatch(/^The database has 3 runs and \d+ versions? now\.\n/);
  expect(again.stderr).toContain(`${dataDir} has 2 runs that the database lacks`);
});
