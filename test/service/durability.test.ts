import { once } from 'node:events';
import { closeSync, openSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import type { Run } from '../../src/api/resources.ts';
import { startService } from '../../src/service/service.ts';
import { killHard, startProcess } from './process.ts';
import {
  clientOf,
  KEY,
  outputsOf,
  reach,
  requestRun,
  rows,
  SHIPPED_MODELS,
  startTestService,
  stateOf,
  temporaryFolder,
  until,
} from './support.ts';

describe('kill -9', () => {
  test('accepted runs are there after it, those that ran are run again, in order', async () => {
    const dataDir = temporaryFolder();
    const first = await startProcess(dataDir);
    const client = clientOf(first.url);
    const version = await client.latest('Rehearsal');
    const runs: Run[] = [];
    for (let Value = 0; Value < 20; Value++) {
      runs.push((await requestRun(client, version, { Seconds: 0.3, Value })).body);
    }
    await reach(client, runs[0]!, 'COMPLETED');
    await reach(client, runs[2]!, 'RUNNING');
    await killHard(first.child);
    expect(rows(dataDir, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    const [done] = rows(dataDir, "SELECT count(*) AS runs FROM runs WHERE status = 'COMPLETED'");
    const cut = rows(dataDir, "SELECT id FROM runs WHERE status = 'RUNNING' ORDER BY seq");
    expect(cut).toHaveLength(2);

    const second = await startProcess(dataDir);
    const again = clientOf(second.url);
    expect((await stateOf(again, runs[0]!)).status).toBe('COMPLETED');
    for (const run of runs) await reach(again, run, 'COMPLETED');
    const executed = rows(dataDir, 'SELECT id, executions FROM runs WHERE executions <> 1 ORDER BY seq');
    expect(executed).toEqual(cut.map(({ id }) => ({ id, executions: 2 })));
    const started = rows(dataDir, 'SELECT id FROM runs ORDER BY started_at, seq').map(({ id }) => id);
    // those that were cut come first of all that had not completed
    expect(started.slice(Number(done!['runs'])).slice(0, 2)).toEqual(cut.map(({ id }) => id));
    for (const [Value, run] of runs.entries()) {
      const { body } = await requestRun(again, version, { Seconds: 0.3, Value });
      expect([body.id, body.status]).toEqual([run.id, 'COMPLETED']);
    }
  }, 30_000);
});

describe('closing', () => {
  test('runs that execute are run again at the next start, and requests under way are answered', async () => {
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
  test('is refused by name when its database is damaged', async () => {
    const service = await startTestService();
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

  test('is refused when another service has it, until that one ends', async () => {
    const service = await startTestService();
    await refused(service.dataDir, 'STORE_UNUSABLE', 'another model service uses it');
    await service.close();
    await startTestService({ dataDir: service.dataDir });
  });

  test('is refused when a newer foray wrote it', async () => {
    const service = await startTestService();
    await service.close();
    const db = new DatabaseSync(path.join(service.dataDir, 'service.db'));
    db.exec('PRAGMA user_version = 1000');
    db.close();
    await refused(service.dataDir, 'STORE_NEWER', 'newer');
  });

  test('a port that is taken is said so', async () => {
    const { running } = await startTestService();
    const starting = startService({ dataDir: temporaryFolder(), modelDirs: [], port: running.port });
    await expect(starting).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  });
});

async function refused(dataDir: string, code: string, named: string): Promise<void> {
  const starting = startService({ dataDir, modelDirs: [SHIPPED_MODELS] });
  await expect(starting).rejects.toMatchObject({ code, message: expect.stringContaining(named) });
}

async function writing(dataDir: string): Promise<void> {
  const folder = path.join(dataDir, 'files', 'unfinished');
  await until(() => readdirSync(folder).length || undefined, 'the upload to begin');
}
