import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { ErrorBody } from '../../../src/api/resources.ts';
import { fillDisk, smallDisk } from '../../support/small-disk.ts';
import { writeCommandModel } from '../command-model.ts';
import {
  KEY,
  onCleanup,
  reach,
  requestRun,
  startTestService,
  stateOf,
  temporaryFolder,
  until,
  writeModel,
} from '../support.ts';

/** Mounts a file system of two megabytes for one test. Returns undefined if this process may not mount one. */
function diskOfTest(): string | undefined {
  const disk = smallDisk('2m');
  if (disk) onCleanup(() => disk.remove());
  return disk?.folder;
}

/** Fills the disk. Returns a function that frees it. */
function fill(folder: string): () => void {
  const file = path.join(folder, 'filler');
  fillDisk(file);
  return () => rmSync(file);
}

const isRoot = process.getuid?.() === 0 && process.platform === 'linux';

// only root may mount a disk; in some containers, even root may not
(isRoot ? describe : describe.skip)('a full disk', () => {
  test('causes answers with 507 but no partial files, and the service continues when the disk has room again', async () => {
    const dataDir = diskOfTest();
    if (dataDir === undefined) return console.warn('left out: a file system cannot be mounted here');
    const service = await startTestService({ dataDir });
    const version = await service.latest('Rehearsal');
    const upload = async (size: number) => {
      const response = await fetch(`${service.running.url}/upload-file`, {
        method: 'POST',
        headers: { Authorization: KEY },
        body: randomBytes(size),
      });
      return { status: response.status, body: await response.json() };
    };

    const tooMuch = await upload(3 * 1024 ** 2);
    expect([tooMuch.status, ErrorBody.parse(tooMuch.body).code]).toEqual([507, 'STORAGE_FULL']);
    expect(readdirSync(path.join(dataDir, 'files', 'unfinished'))).toEqual([]);
    expect((await upload(10_000)).status).toBe(200);

    const makeRoom = fill(dataDir);
    let refused: unknown;
    for (let Value = 0; Value < 2_000 && refused === undefined; Value++) {
      const { status, body } = await requestRun(service, version, { Seconds: 60, Value });
      if (status !== 200) refused = body;
    }
    expect(ErrorBody.parse(refused)).toMatchObject({ status: 507, code: 'STORAGE_FULL' });
    expect((await upload(100_000)).status).toBe(507);
    expect((await service.get('/models')).status).toBe(200);

    makeRoom();
    expect((await upload(100_000)).status).toBe(200);
    await service.post(`/versions/${version}/runs/stop`, {
      experimentType: 'SIMULATION',
      inputs: [
        { name: 'Seconds', value: 60 },
        { name: 'Value', value: 0 },
      ],
    });
    const { status } = await requestRun(service, version, { Seconds: 0, Value: -1 });
    expect(status).toBe(200);
  });

  test('that is read-only causes answers with 507 too', async () => {
    const dataDir = diskOfTest();
    if (dataDir === undefined) return console.warn('left out: a file system cannot be mounted here');
    const service = await startTestService({ dataDir });
    const upload = async () => {
      const response = await fetch(`${service.running.url}/upload-file`, {
        method: 'POST',
        headers: { Authorization: KEY },
        body: randomBytes(10_000),
      });
      return { status: response.status, body: await response.json() };
    };
    // a bind mount of the folder of files, because the database keeps its disk in use
    const files = path.join(dataDir, 'files', 'unfinished');
    execFileSync('mount', ['--bind', files, files]);
    try {
      execFileSync('mount', ['-o', 'remount,ro,bind', files]);
      const refused = await upload();
      expect(ErrorBody.parse(refused.body)).toMatchObject({ status: 507, code: 'STORAGE_FULL' });
      expect(ErrorBody.parse(refused.body).message).toContain('read-only');
    } finally {
      execFileSync('umount', [files]);
    }
    expect((await upload()).status).toBe(200);
  });

  test.each([
    ['an output', `'x'.repeat(300_000)`, 'STRING', 'RUNNING'],
    ['a file', `writeFile('a.txt', 'x'.repeat(300_000))`, 'OUTPUT_FILE', 'FRESH'],
  ])(
    'a run does not fail if %s cannot be written; the run completes when the disk has room again',
    async (_, value, type, waits) => {
      const dataDir = diskOfTest();
      if (dataDir === undefined) return console.warn('left out: a file system cannot be mounted here');
      const folder = temporaryFolder();
      const isFull = path.join(folder, 'full');
      writeModel(
        path.join(folder, 'models'),
        'large',
        `import { existsSync } from 'node:fs';
      import { setTimeout } from 'node:timers/promises';
      export default {
        name: 'Large', description: '', inputs: [], outputs: [{ name: 'Large', type: '${type}' }],
        async run({ writeFile }) {
          while (!existsSync(${JSON.stringify(isFull)})) await setTimeout(10);
          return { Large: ${value} };
        },
      };`,
      );
      let logged = '';
      const log = new Writable({
        write(chunk: Buffer, _encoding, done) {
          logged += chunk.toString();
          done();
        },
      });
      const service = await startTestService({ dataDir, modelDirs: [path.join(folder, 'models')], log });
      const { body: run } = await requestRun(service, await service.latest('Large'));
      await reach(service, run, 'RUNNING');
      const makeRoom = fill(dataDir);
      writeFileSync(isFull, '');
      await until(() => /full|ENOSPC/.test(logged) || undefined, 'the service to say that the disk is full');
      expect(['RUNNING', waits]).toContain((await stateOf(service, run)).status);
      makeRoom();
      await reach(service, run, 'COMPLETED');
    },
  );

  test('a run does not fail if its program finds no room; it completes when the disk has room again', async () => {
    const dataDir = diskOfTest();
    if (dataDir === undefined) return console.warn('left out: a file system cannot be mounted here');
    const models = temporaryFolder();
    const [begun, full] = ['begun', 'full'].map((name) => path.join(models, name));
    writeCommandModel(
      path.join(models, 'models'),
      'Writes',
      `const { existsSync } = await import('node:fs');
       writeFileSync(${JSON.stringify(begun)}, '');
       while (!existsSync(${JSON.stringify(full)})) await new Promise((done) => setTimeout(done, 10));
       writeFileSync('large.txt', 'x'.repeat(100_000));
       say({ outputs: { Out: 1 } });`,
    );
    const lines: string[] = [];
    const service = await startTestService({
      dataDir,
      modelDirs: [path.join(models, 'models')],
      onProblem: (line) => lines.push(line),
    });
    const { body: run } = await requestRun(service, await service.latest('Writes'));
    await until(() => existsSync(begun!) || undefined, 'the program runs');
    const makeRoom = fill(dataDir);
    writeFileSync(full!, '');
    const isTold = () => lines.some((line) => /disk is full|ENOSPC|no space/i.test(line)) || undefined;
    await until(isTold, 'the service to say that the disk is full');
    expect(['RUNNING', 'FRESH']).toContain((await stateOf(service, run)).status);
    makeRoom();
    await reach(service, run, 'COMPLETED');
  });
});
