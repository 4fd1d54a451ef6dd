import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { toTheEnd } from '../../support/campaigns.ts';
import { MAIN } from '../../support/cli.ts';
import { fillDisk, type SmallDisk, smallDisk } from '../../support/small-disk.ts';
import { until } from '../../support/until.ts';
import { environmentOf } from '../../support/worker.ts';
import { startWorld, type World } from '../../support/world.ts';
import { ask } from '../support.ts';

const isRoot = process.getuid?.() === 0 && process.platform === 'linux';

let world: World;
let server: ChildProcess;
let url = '';
let disk: SmallDisk | undefined;
const KEY = '0123456789abcdef0123456789abcdef';

const send = async (method: string, path: string, body?: unknown) => {
  const { status, body: text } = await ask(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status, text };
};

/** A definition whose points are in a file of this many lines, with the file. */
const withFile = (lines: number) => ({
  definition: 'campaign: filled\nmodel: {name: Rehearsal}\ndesign: {points: points.csv}\n',
  files: {
    'points.csv': Buffer.from(
      `Value\n${Array.from({ length: lines }, (_, at) => at + 1).join('\n')}`,
    ).toString('base64'),
  },
});

// only root may mount a file system, and in some containers even root may not
(isRoot ? describe : describe.skip)('a full disk for the temporary files of the server', () => {
  beforeAll(async () => {
    world = await startWorld();
    await world.startWorker();
    const text = 'campaign: done\nmodel: {name: Rehearsal}\ndesign: {grid: {Value: [1, 2]}}\n';
    await world.foray.submit({ text, file: 'campaign.yaml' }, { id: 'done' });
    await toTheEnd(world, 'done');
    disk = smallDisk('2m');
    // the folder for temporary files is a setting of the whole process
    server = spawn(process.execPath, [MAIN, 'server', '--port', '0'], {
      env: { ...environmentOf(world.settings), FORAY_KEY: KEY, TMPDIR: disk?.folder },
      cwd: world.folder,
    });
    let said = '';
    for (const stream of [server.stdout!, server.stderr!])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    url = await until('the server prints its address', () => {
      if (server.exitCode !== null) throw new Error(said);
      return /^API\s+(\S+)\/api\/v1/m.exec(said)?.[1];
    });
  });
  afterAll(async () => {
    const exit = once(server, 'exit');
    server.kill('SIGKILL');
    await exit;
    disk?.remove();
    await world.close();
  });

  test('is a 507 for uploads, plans and answers; nothing is started, no part of a file stays, and all works when there is room', async () => {
    if (disk === undefined) return console.warn('left out: a file system cannot be mounted here');
    const full = { status: 507, text: expect.stringMatching(/"STORAGE_FULL".*disk is full/) as unknown };
    // a file that is larger than the disk, beside threads that have room
    expect(await send('POST', '/plan', withFile(3))).toMatchObject({ status: 200 });
    expect(await send('POST', '/plan', withFile(400_000))).toEqual(full);
    expect(await send('PUT', '/campaigns/filled', withFile(400_000))).toEqual(full);
    expect(await send('GET', '/campaigns/filled')).toMatchObject({ status: 404 });

    const filler = join(disk.folder, 'filler');
    fillDisk(filler);
    for (const path of ['results.parquet', 'report.html', 'figures'])
      expect(await send('GET', `/campaigns/done/${path}`)).toEqual(full);
    expect(await send('POST', '/plan', withFile(3))).toEqual(full);
    // nothing of these has to be written
    expect(await send('GET', '/campaigns/done/results.csv')).toMatchObject({ status: 200 });
    expect(await send('GET', '/campaigns/done/runs')).toMatchObject({ status: 200 });
    rmSync(filler);
    const files = readdirSync(disk.folder, { recursive: true, withFileTypes: true });
    expect(files.filter((file) => file.isFile())).toEqual([]);

    for (const path of ['results.parquet', 'report.html', 'figures'])
      expect(await send('GET', `/campaigns/done/${path}`)).toMatchObject({ status: 200 });
    expect(await send('PUT', '/campaigns/filled', withFile(3))).toMatchObject({ status: 201 });
  });

  test('that becomes read-only is a 507 too', async () => {
    if (disk === undefined) return console.warn('left out: a file system cannot be mounted here');
    const remount = (how: string) => execFileSync('mount', ['-o', `remount,${how}`, disk!.folder]);
    remount('ro');
    try {
      expect(await send('POST', '/plan', withFile(4))).toEqual({
        status: 507,
        text: expect.stringMatching(/"STORAGE_FULL".*disk is read-only/) as unknown,
      });
    } finally {
      remount('rw');
    }
    expect(await send('POST', '/plan', withFile(4))).toMatchObject({ status: 200 });
  });
});
