import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import type { Run } from '../../../src/api/resources.ts';
import { monteCarlo, request } from '../experiments.ts';
import { killHard, startProcess } from '../process.ts';
import { clientOf, messageIn, rows, startTestService, temporaryFolder, until } from '../support.ts';

/** The number of runs that takes long enough for other requests meanwhile. */
const MANY = 10_000;
/** The number of runs whose addition has several steps. */
const RUNS = 3_000;
/** An experiment whose runs take too long for a test. */
const experimentOf = (runs: number) => monteCarlo({ '{NUMBER_OF_REPLICATIONS}': runs, Seconds: 500 });

const count = (dataDir: string, where: string): number =>
  Number(rows(dataDir, `SELECT count(*) AS count FROM runs WHERE ${where}`)[0]!['count']);

/** Changes the database of a service that may be at work. */
function change(dataDir: string, sql: string): void {
  const db = new DatabaseSync(path.join(dataDir, 'service.db'), { timeout: 60_000 });
  db.exec(sql);
  db.close();
}

test('the service answers other requests while it adds an experiment of 10,000 runs; identical requests share the experiment', async () => {
  const service = await startTestService();
  const version = await service.latest('Rehearsal');
  let adding = true;
  const asked = Promise.all(
    Array.from({ length: 3 }, () => request(service, version, experimentOf(MANY))),
  ).finally(() => (adding = false));
  let answered = 0;
  while (adding) {
    expect((await service.get('/models')).status).toBe(200);
    answered += 1;
  }
  // if adding the experiment blocked the service, it would only answer requests before and after
  expect(answered).toBeGreaterThan(20);
  const runs = await asked;
  expect(new Set(runs.map(({ body }) => body.id)).size).toBe(1);
  expect(messageIn(runs[0]!.body).totalTasks).toBe(MANY);
  expect(count(service.dataDir, 'tasks IS NULL')).toBe(MANY);
  expect(count(service.dataDir, `tasks = ${MANY}`)).toBe(1);
});

test('a stop request during the addition of an experiment stops all its runs', async () => {
  const service = await startTestService();
  const version = await service.latest('Rehearsal');
  const adding = request(service, version, experimentOf(RUNS));
  await until(() => count(service.dataDir, 'true') > 0 || undefined, 'the first runs');
  const { status, body } = await service.post(`/versions/${version}/runs/stop`, experimentOf(RUNS));
  expect([status, body]).toEqual([200, null]);
  await adding;
  expect(count(service.dataDir, `status <> 'STOPPED'`)).toBe(0);
});

test('an experiment that a killed service had only partly added does not exist after a restart, and can be requested again', async () => {
  const dataDir = temporaryFolder();
  const first = await startProcess(dataDir);
  const client = clientOf(first.url);
  const version = await client.latest('Rehearsal');
  // the trigger takes far longer than the test, so the kill comes in the middle of the addition
  change(
    dataDir,
    `CREATE TRIGGER hold AFTER INSERT ON runs WHEN NEW.seq = ${RUNS / 2}
       BEGIN SELECT count(*) FROM runs AS a, runs AS b, runs AS c; END`,
  );
  const lost = request(client, version, experimentOf(RUNS)).catch(() => undefined);
  await until(() => count(dataDir, 'true') > 0 || undefined, 'the first runs');
  await killHard(first.child);
  expect(await lost).toBeUndefined();
  expect(count(dataDir, 'tasks IS NULL')).toBeLessThan(RUNS);
  expect(count(dataDir, 'tasks IS NOT NULL')).toBe(0);
  change(dataDir, 'DROP TRIGGER hold');

  const service = await startTestService({ dataDir });
  expect(count(dataDir, 'true')).toBe(0);
  const { body } = await request(service, version, experimentOf(RUNS));
  expect(messageIn(body satisfies Run).totalTasks).toBe(RUNS);
  expect(count(dataDir, 'tasks IS NULL')).toBe(RUNS);
});
