import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import type { Run } from '../../../src/api/resources.ts';
import { startService } from '../../../src/service/service.ts';
import { killHard, pidsUnder, startProcess } from '../process.ts';
import { isRunning } from '../../support/cli.ts';
import { writeCommandModel } from '../command-model.ts';
import { writeGated } from '../../support/gated.ts';
import { seeds } from '../../support/seeds.ts';
import { doubles, request, results, variation } from '../experiments.ts';
import {
  clientOf,
  EPIDEMIC,
  KEY,
  outputsOf,
  reach,
  REHEARSAL,
  requestRun,
  rows,
  startTestService,
  stateOf,
  temporaryFolder,
  until,
} from '../support.ts';

describe('a service that was killed', () => {
  test('has all accepted runs, and executes the interrupted runs again before all other runs', async () => {
    const [dataDir, folder] = [temporaryFolder(), temporaryFolder()];
    const [models, gate] = [path.join(folder, 'models'), path.join(folder, 'gate')];
    /** The number of runs that end before the kill. The others wait for the gate. */
    const done = 5;
    const inputs = (N: number) => ({ N, Gate: N < done ? '' : gate });
    writeGated(models);
    const first = await startProcess(dataDir, models);
    const client = clientOf(first.url);
    const version = await client.latest('Gated');
    const runs: Run[] = [];
    for (let N = 0; N < 20; N++) runs.push((await requestRun(client, version, inputs(N))).body);
    for (const run of runs.slice(0, done)) await reach(client, run, 'COMPLETED');
    const cut = runs.slice(done, done + 2);
    for (const run of cut) await reach(client, run, 'RUNNING');
    await killHard(first.child);
    expect(rows(dataDir, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    const ids = cut.map(({ id }) => id);
    const running = rows(dataDir, "SELECT id FROM runs WHERE status = 'RUNNING' ORDER BY seq");
    expect(running.map(({ id }) => id)).toEqual(ids);

    const second = await startProcess(dataDir, models);
    const again = clientOf(second.url);
    for (const run of runs.slice(0, done)) expect((await stateOf(again, run)).status).toBe('COMPLETED');
    writeFileSync(gate, '');
    for (const run of runs) await reach(again, run, 'COMPLETED');
    const executed = rows(dataDir, 'SELECT id, executions FROM runs WHERE executions <> 1 ORDER BY seq');
    expect(executed).toEqual(ids.map((id) => ({ id, executions: 2 })));
    const started = rows(dataDir, 'SELECT id FROM runs ORDER BY started_at, seq').map(({ id }) => id);
    // interrupted runs come before all other unfinished runs
    expect(started.slice(done, done + 2)).toEqual(ids);
    for (const [N, run] of runs.entries()) {
      const { body } = await requestRun(again, version, inputs(N));
      expect([body.id, body.status]).toEqual([run.id, 'COMPLETED']);
    }
  });
});

describe('a kill of the service during a parameter variation', () => {
  test.each(seeds(1, 20))(
    'does not end the variation; only the runs whose end was not written are executed again (seed %i)',
    async (seed) => {
      const dataDir = temporaryFolder();
      const [least] = fc.sample(fc.integer({ min: 1, max: 11 }), { seed, numRuns: 1 });
      const body = variation({ Seconds: 0.1, Value: doubles(1, 12, 1) });
      const finished = () => {
        const [row] = rows(dataDir, `SELECT count(*) AS n FROM runs WHERE status = 'COMPLETED'`);
        return Number(row!['n']);
      };

      const first = await startProcess(dataDir);
      const before = clientOf(first.url);
      const { body: parent } = await request(before, await before.latest('Rehearsal'), body);
      await until(() => finished() >= least! || undefined, `${least} sub-runs to complete`);
      await killHard(first.child);
      expect(rows(dataDir, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      const running = rows(dataDir, `SELECT id FROM runs WHERE status = 'RUNNING' AND tasks IS NULL`);
      const cut = new Set(running.map(({ id }) => id));

      // the variation continues without a new request
      const { url } = await startProcess(dataDir);
      const client = clientOf(url);
      await reach(client, parent, 'COMPLETED');
      const executed = rows(dataDir, 'SELECT id, executions FROM runs WHERE tasks IS NULL');
      expect(executed).toHaveLength(12);
      for (const { id, executions } of executed) expect([id, executions]).toEqual([id, cut.has(id) ? 2 : 1]);
      const outputs = await results(client, parent.modelVersionId, body);
      expect(outputs[0]!.value).toBe('[1,2,3,4,5,6,7,8,9,10,11,12]');
    },
  );
});

describe('executors', () => {
  test('leave no process when their service is killed while a command prints', async () => {
    const models = temporaryFolder();
    const pid = path.join(models, 'pid');
    // it prints all the time, so the service is killed between two lines or within one
    writeCommandModel(
      models,
      'Loud',
      `const { spawn } = await import('node:child_process');
       const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
       writeFileSync(${JSON.stringify(pid)}, String(child.pid));
       setInterval(() => console.log('line'), 1);`,
    );
    const { child, url } = await startProcess(temporaryFolder(), models);
    const client = clientOf(url);
    await requestRun(client, await client.latest('Loud'));
    const sleeper = await until(
      () => (existsSync(pid) && Number(readFileSync(pid, 'utf8'))) || undefined,
      'a child',
    );
    const executors = pidsUnder(child.pid!);
    expect(executors).toHaveLength(1);
    await killHard(child);
    await until(() => ![sleeper, ...executors].some(isRunning) || undefined, 'the processes to end');
  });
});

describe('a service that closes', () => {
  test('answers open requests, and executes interrupted runs again at its next start', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    const { body: run } = await requestRun(service, version, { Seconds: 60 });
    await reach(service, run, 'RUNNING');

    const upload = http.request(`${service.running.url}/upload-file`, {
      method: 'POST',
      headers: { Authorization: KEY },
    });
    const arrived = once(upload, 'response') as Promise<[http.IncomingMessage]>;
    upload.write('first half, ');
    await writing(service.dataDir);
    const closed = service.close();
    upload.end('second half');
    const [response] = await arrived;
    expect(response.statusCode).toBe(200);
    response.resume();
    await closed;
    expect(rows(service.dataDir, 'SELECT status FROM runs')).toEqual([{ status: 'RUNNING' }]);

    const restarted = await startTestService({ dataDir: service.dataDir });
    await reach(restarted, run, 'RUNNING');
    expect(rows(service.dataDir, 'SELECT executions FROM runs')).toEqual([{ executions: 2 }]);
  });
});

describe('a data folder that cannot be used', () => {
  test('is refused if its database is damaged, and the error names the database', async () => {
    const service = await startTestService({ modelDirs: [EPIDEMIC] });
    const version = await service.latest('Epidemic');
    for (const Days of [5, 6, 7, 8, 9, 10]) await outputsOf(service, version, { Days });
    await service.close();
    const file = path.join(service.dataDir, 'service.db');
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(4096 * 3, 0xa5), 0, 4096 * 3, 4096 * 2);
    closeSync(handle);
    await refused(service.dataDir, 'STORE_UNUSABLE', file);

    writeFileSync(file, 'this was never a database, and is long enough to be one');
    await refused(service.dataDir, 'STORE_UNUSABLE', file);
  });

  test('is refused while another service uses it, and if a newer foray wrote it', async () => {
    const service = await startTestService();
    await refused(service.dataDir, 'STORE_UNUSABLE', 'another model service uses it');
    const onPort = { dataDir: temporaryFolder(), modelDirs: [], port: service.running.port };
    await expect(startService(onPort)).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    await service.close();
    const db = new DatabaseSync(path.join(service.dataDir, 'service.db'));
    db.exec('PRAGMA user_version = 1000');
    db.close();
    await refused(service.dataDir, 'STORE_NEWER', 'newer');
  });
});

async function refused(dataDir: string, code: string, named: string): Promise<void> {
  const starting = startService({ dataDir, modelDirs: [REHEARSAL] });
  await expect(starting).rejects.toMatchObject({ code, message: expect.stringContaining(named) });
}

async function writing(dataDir: string): Promise<void> {
  const folder = path.join(dataDir, 'files', 'unfinished');
  await until(() => readdirSync(folder).length || undefined, 'the start of the upload');
}
