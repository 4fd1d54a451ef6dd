import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Run } from '../../src/api/resources.ts';
import { openPostgres } from '../../src/service/database/postgres.ts';
import { moveService } from '../../src/service/move/move.ts';
import { writeCommandModel } from '../service/command-model.ts';
import { complete, variation } from '../service/experiments.ts';
import { hashOf } from '../service/signed-suite.ts';
import {
  onCleanup,
  outputsOf,
  reach,
  requestRun,
  simulation,
  startTestService,
  temporaryFolder,
  type TestService,
  until,
  upload,
  writeModel,
} from '../service/support.ts';
import { cleanEnv, foray, MAIN } from '../support/cli.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { S3_KEY, type S3Server, startS3 } from '../support/s3.ts';

/** Tests services with PostgreSQL and an S3-compatible store, and moving a service from its data folder to them. */

let postgres: Postgres;
let s3: S3Server;
beforeAll(async () => {
  [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
});
afterAll(async () => {
  await postgres.remove();
  await s3.remove();
});

/** The number of runs that the test adds to a service: more than the largest page of a move. */
const MORE_RUNS = 5_100;
/** The number of files that the test adds. */
const MORE_FILES = 40;

const PROGRAM = (version: number) => `
  if (inputs.N === 13) throw new Error('unlucky');
  writeFileSync('out.txt', inputs.N + (inputs.File ? readFileSync(inputs.File, 'utf8') : ''));
  say({ outputs: { Out: ${version} * inputs.N, Text: 'out.txt' } });`;
const writeFiles = (models: string, version: number) =>
  writeCommandModel(models, 'Files', PROGRAM(version), ['Out: DOUBLE', 'Text: OUTPUT_FILE']);

/**
 * Makes a stopped service with runs of all states, an experiment, files, two versions of a model, and a log of a failed
 * run.
 */
async function history(): Promise<{ dataDir: string; models: string[]; runs: Run[]; File: string }> {
  const own = temporaryFolder();
  const models = [own];
  writeFiles(own, 1);
  writeModel(
    own,
    'waiting',
    `import { setTimeout as pause } from 'node:timers/promises';
     export default {
       name: 'Waiting', description: '',
       inputs: ['Seconds', 'Value'].map((name) => ({ name, type: 'DOUBLE', default: 0 })),
       outputs: [{ name: 'Echo', type: 'DOUBLE' }],
       run: async ({ inputs }) => { await pause(1_000 * inputs.Seconds); return { Echo: inputs.Value }; },
     };`,
  );
  const dataDir = temporaryFolder();
  const first = await startTestService({ dataDir, modelDirs: models });
  const old = await first.latest('Files');
  const { body: File } = await upload(first, ' of a client');
  await outputsOf(first, old, { N: 2, File });
  const failed = (await requestRun(first, old, { N: 13 })).body;
  await reach(first, failed, 'FAILED');
  await first.close();
  writeFiles(own, 3);
  const service = await startTestService({ dataDir, modelDirs: models, executors: 1 });
  const version = await service.latest('Files');
  const waiting = await service.latest('Waiting');
  await outputsOf(service, version, { N: 2, File });
  const range = { type: 'FIXED_RANGE_DOUBLE' as const, value: JSON.stringify({ min: 1, max: 4, step: 1 }) };
  const experiment = await complete(service, waiting, variation({ Value: range, Seconds: 0 }));
  const running = (await requestRun(service, waiting, { Seconds: 600, Value: 1 })).body;
  await reach(service, running, 'RUNNING');
  const fresh = (await requestRun(service, waiting, { Seconds: 600, Value: 2 })).body;
  const stopped = (await requestRun(service, waiting, { Seconds: 600, Value: 3 })).body;
  await service.post(`/versions/${waiting}/runs/stop`, simulation({ Seconds: 600, Value: 3 }));
  await reach(service, stopped, 'STOPPED');
  await service.close();
  const again = (versionId: string, id: string) => ({ modelVersionId: versionId, id }) as Run;
  const db = new DatabaseSync(path.join(dataDir, 'service.db'));
  const known = db.prepare('SELECT version_id, id FROM runs').all() as { version_id: string; id: string }[];
  expect(
    db
      .prepare('SELECT DISTINCT status FROM runs ORDER BY 1')
      .all()
      .map(({ status }) => status),
  ).toEqual(['COMPLETED', 'FAILED', 'FRESH', 'RUNNING', 'STOPPED']);
  db.exec(`
    WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < ${MORE_RUNS})
      INSERT INTO runs (id, version_id, experiment_type, identity, inputs, status, requested_at)
      SELECT 'more ' || n, '${waiting}', 'SIMULATION', 'more ' || n, '{}', 'COMPLETED', '2026' FROM more;
    INSERT INTO results SELECT seq, '{"text": "' || id || '"}' FROM runs WHERE id LIKE 'more %';`);
  db.close();
  expect(known.length).toBeGreaterThan(9);
  expect(known.map(({ id }) => id)).toEqual(expect.arrayContaining([experiment.id, fresh.id, failed.id]));
  return { dataDir, models, runs: known.map(({ version_id, id }) => again(version_id, id)), File };
}

/** All answers of a service about its data. */
async function answersOf(service: TestService, runs: readonly Run[], File: string): Promise<object> {
  const answers: Record<string, unknown> = {};
  const get = async (at: string) => (answers[at] = (await service.get(at)).body);
  const models = (await get('/models')) as { id: string; modelVersions: string[] }[];
  for (const { id, modelVersions } of models) {
    await get(`/models/${id}`);
    await get(`/models/${id}/kept-versions`);
    for (const version of modelVersions) {
      await get(`/models/${id}/versions/${version}`);
      await get(`/versions/${version}/experiments`);
      await get(`/versions/${version}/code`);
    }
  }
  for (const { modelVersionId, id } of runs) {
    await get(`/versions/${modelVersionId}/runs/${id}/progress`);
    await get(`/versions/${modelVersionId}/runs/${id}/log`);
    const { body } = await service.post(`/versions/${modelVersionId}/results/${id}`, []);
    answers[`results ${id}`] = body;
    for (const [, hash] of JSON.stringify(body).matchAll(/hash\\*":\\*"([\w-]{43})/g)) {
      const { body: address } = await service.get<string>(`/output-file?hash=${hash}&filename=a`);
      answers[`file ${hash}`] = await (await fetch(address)).text();
    }
  }
  await get(`/check-file?hash=${File}`);
  expect(Object.keys(answers).filter((name) => name.startsWith('file ')).length).toBeGreaterThan(0);
  // an error answer contains its time, which differs each time
  return JSON.parse(
    JSON.stringify(answers, (name, value: unknown) => (name === 'timestamp' ? '' : value)),
  ) as object;
}

/**
 * A hash of the content of a folder, without the lock file and the files that SQLite makes while a database is open.
 */
function contentOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of (readdirSync(folder, { recursive: true }) as string[]).sort()) {
    if (/service\.(lock|db-(wal|shm))/.test(name)) continue;
    hash.update(name);
    const entry = path.join(folder, name);
    try {
      hash.update(readFileSync(entry));
    } catch {
      // the entry is a folder
    }
  }
  return hash.digest('hex');
}

test('all answers of a service are the same after a move, even if the move was killed twice', async () => {
  const { dataDir, models, runs, File } = await history();
  const copy = path.join(temporaryFolder(), 'data');
  cpSync(dataDir, copy, { recursive: true });
  for (let number = 0; number < MORE_FILES; number += 1) {
    const hash = hashOf(`more ${number}`);
    mkdirSync(path.join(copy, 'files', hash.slice(0, 2)), { recursive: true });
    writeFileSync(path.join(copy, 'files', hash.slice(0, 2), hash), `more ${number}`);
  }
  const before = contentOf(copy);
  const database = await postgres.database();
  const args = ['service', 'move', '--data', copy, '--files', `s3://runs?endpoint=${s3.endpoint}`];
  const env = {
    FORAY_SERVICE_DATABASE: database,
    AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
    AWS_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
  };
  const countIn = async (table: string): Promise<number> => {
    const [row] = await postgres.query(database, `SELECT count(*) AS rows FROM ${table}`).catch(() => []);
    return Number(row?.['rows'] ?? 0);
  };
  /** Kills a move before it writes the first row of a table: a lock keeps the move from writing there. */
  const killBefore = async (
    table: string,
    isThere: () => boolean | Promise<boolean>,
    what: string,
  ): Promise<void> => {
    const lock = new pg.Client({ connectionString: database });
    await lock.connect();
    onCleanup(() => lock.end());
    await lock.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`);
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...cleanEnv(), ...env },
      stdio: 'ignore',
    });
    onCleanup(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    await until(async () => (await isThere()) || child.exitCode !== null || undefined, what);
    child.kill('SIGKILL');
    await ended;
    // the server does not notice the kill while the connection of the move waits for the lock
    const left = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'foray'`;
    await until(
      async () => (await postgres.query(database, left)).length === 0 || undefined,
      'the end of its connections',
    );
    await lock.end();
    expect((await postgres.query(database, `SELECT value FROM settings WHERE name = 'move'`)).length).toBe(1);
  };
  // the tables exist before the move, so that the test can lock them
  await (await openPostgres(database)).close();
  await killBefore('runs', () => s3.files().length > 20, 'some files');
  expect(await countIn('runs')).toBe(0);
  await killBefore('results', async () => (await countIn('runs')) > 0, 'some runs');
  await expect(startTestService({ database, s3: s3.place, modelDirs: models })).rejects.toMatchObject({
    message: 'A move into this database has not ended.',
  });

  const { code, stdout, stderr } = await foray(copy, args, { env });
  expect(`${code} ${stderr}`).toMatch(/^0 (\d+ of \d+ .*\n)*$/);
  expect(stdout).toMatch(
    new RegExp(`^The database has ${(MORE_RUNS + runs.length).toLocaleString('en')} runs and \\d+ versions now\\.
Moved \\d+ files and \\d+ files of versions to the bucket, together \\S+ [KM]B\\.
${copy} is unchanged\\.\n$`),
  );
  expect(contentOf(copy)).toBe(before);
  expect(await countIn('results')).toBeGreaterThan(MORE_RUNS);

  const old = await startTestService({ dataDir, modelDirs: models, executors: 0 });
  const wanted = await answersOf(old, runs, File);
  await old.close();
  const moved = await startTestService({ database, s3: s3.place, modelDirs: models, executors: 0 });
  expect(await answersOf(moved, runs, File)).toEqual(wanted);

  // a service that has only the database and the bucket executes the waiting runs, also runs of the old version
  const busy = await startTestService({ database, s3: s3.place, modelDirs: [], executors: 4 });
  const waiting = runs.find(({ id }) => id === fresh(wanted))!;
  await reach(busy, waiting, 'RUNNING');
  const oldest = (await moved.post<{ modelVersions: string[] }>('/models/name/', 'Files')).body
    .modelVersions[0]!;
  expect((await outputsOf(moved, oldest, { N: 7, File })).get('Out')).toBe('7');

  const again = await foray(copy, [...args, '--json'], { env });
  expect(JSON.parse(again.stdout)).toMatchObject({ error: { code: 'STORE_UNUSABLE' } });
  await busy.close();
  await moved.close();
  expect((await foray(copy, args, { env })).code).toBe(0);
});

/** The id of a run that has not started. */
function fresh(answers: object): string {
  const [at] = Object.entries(answers).find(
    ([name, body]) => name.endsWith('/progress') && (body as { status: string }).status === 'FRESH',
  )!;
  return at.split('/').at(-2)!;
}

test('a move names a damaged file and moves all others; it completes after the damaged file is removed', async () => {
  const dataDir = temporaryFolder();
  const service = await startTestService({ dataDir });
  const { body: whole } = await upload(service, 'that stays whole');
  const { body: damaged } = await upload(service, 'that is damaged');
  await expect(moveService({ dataDir, s3: s3.place })).rejects.toMatchObject({
    message: expect.stringContaining('another model service uses it'),
  });
  await service.close();
  const file = path.join(dataDir, 'files', damaged.slice(0, 2), damaged);
  writeFileSync(file, 'that is damageD');
  const database = await postgres.database();
  const move = () => moveService({ dataDir, s3: s3.place, database });
  await expect(move()).rejects.toMatchObject({
    code: 'FILES_UNUSABLE',
    message: `A file is damaged in ${path.join(dataDir, 'files')}: ${file}.`,
    hint: expect.stringMatching(/^Restore .* or remove them/),
  });
  expect(s3.files()).toContain(whole);
  expect(s3.files()).not.toContain(damaged);
  rmSync(file);
  expect(await move()).toMatchObject({ rows: { runs: 0 }, files: { files: 1, bytes: 16 } });
  const moved = await startTestService({ database, s3: s3.place });
  expect((await moved.get<boolean>(`/check-file?hash=${whole}`)).body).toBe(true);
});

test('the files of a service with a PostgreSQL database can be moved to a bucket', async () => {
  const database = await postgres.database();
  const dataDir = temporaryFolder();
  const service = await startTestService({ dataDir, database });
  const { body: File } = await upload(service, 'in a shared folder');
  const move = (at: string | undefined) => moveService({ dataDir, s3: s3.place, database: at });
  await expect(move(database)).rejects.toMatchObject({
    message: 'Services of this database run, or another move into it runs.',
  });
  await service.close();
  await expect(move(undefined)).rejects.toMatchObject({ code: 'USAGE' });
  await expect(move(await postgres.database())).rejects.toMatchObject({ code: 'STORE_UNUSABLE' });
  expect(await move(database)).toMatchObject({ files: { files: 1 } });
  const moved = await startTestService({ database, s3: s3.place });
  expect((await moved.get<boolean>(`/check-file?hash=${File}`)).body).toBe(true);
});

test('a restarted service uses the copies of files that it made before', async () => {
  const [dataDir, models] = [temporaryFolder(), temporaryFolder()];
  writeFiles(models, 1);
  const options = { dataDir, database: await postgres.database(), s3: s3.place, modelDirs: [models] };
  const copies: number[] = [];
  let File = '';
  for (const N of [1, 2]) {
    const service = await startTestService(options);
    if (File === '') ({ body: File } = await upload(service, 'of a client'));
    await outputsOf(service, await service.latest('Files'), { N, File });
    const [copy] = globSync('caches/*/files/**/*', { cwd: dataDir }).filter((file) => file.endsWith(File));
    // a copy that is fetched again would have another inode
    copies.push(statSync(path.join(dataDir, copy!)).ino);
    await service.close();
  }
  expect(copies[1]).toBe(copies[0]);
});

test.each<[string, () => Promise<Parameters<typeof moveService>[0]>, string]>([
  ['to nowhere', () => Promise.resolve({ dataDir: temporaryFolder() }), 'USAGE'],
  [
    'from a folder without a service',
    async () => ({ dataDir: temporaryFolder(), database: await postgres.database() }),
    'STORE_MISSING',
  ],
  [
    'into the database of another service',
    async () => {
      const database = await postgres.database();
      await (await startTestService({ database })).close();
      const dataDir = temporaryFolder();
      await (await startTestService({ dataDir })).close();
      return { dataDir, database };
    },
    'STORE_UNUSABLE',
  ],
])('a move %s is refused', async (_, optionsOf, code) => {
  await expect(moveService(await optionsOf())).rejects.toMatchObject({ code });
});
