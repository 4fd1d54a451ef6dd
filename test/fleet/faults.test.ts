import { appendFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { VersionCode } from '../../src/api/extensions.ts';
import { version as build } from '../../src/package/own-version.ts';
import { addKey, revokeKeys } from '../../src/keys/edit.ts';
import { contentName } from '../../src/service/models/version-files.ts';
import { writeCommandModel, writeLoopModel } from '../service/command-model.ts';
import { healthOf, onCleanup, outputsOf, reach, requestRun, rows, stateOf } from '../service/support.ts';
import { writeGated } from '../support/gated.ts';
import { PROGRAM } from '../support/program.ts';
import { startProxy } from '../support/proxy.ts';
import { fillDisk, smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { folderOfFile, gatedRuns, startFleet, type TestFleet } from './fleet.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const one = { flags: ['--slots', '1'] };
const HOUR = 3_600_000;
const answer = 'say({ outputs: { Out: inputs.N } });';

let fleet: TestFleet;

beforeAll(async () => {
  fleet = await startFleet(
    (folder) => {
      writeCommandModel(folder, 'Program', answer);
      writeCommandModel(folder, 'Lost', `${answer} // lost`);
      writeCommandModel(folder, 'Needy', answer);
      writeLoopModel(folder, 'Loop', { body: `answer(runs, runs === 3 ? { last: 'for the test' } : {});` });
      appendFileSync(path.join(folder, 'Needy', 'model.yaml'), 'needs: [gpu]\n');
      writeCommandModel(
        folder,
        'Writer',
        `writeFileSync('big.bin', Buffer.alloc(inputs.N * 1e6)); ${answer}`,
      );
      writeGated(folder);
    },
    { metrics: { host: '127.0.0.1', port: 0 } },
  );
});

/** Requests a run of a model. Only the input `N` varies. */
async function request(model: string, N: number) {
  return (await requestRun(fleet.service, await fleet.service.latest(model), { N })).body;
}

/** Lets an executor without a fault execute a run. */
async function completeElsewhere(run: Awaited<ReturnType<typeof request>>): Promise<void> {
  await fleet.start('able', one);
  await reach(fleet.service, run, 'COMPLETED');
}

test('an executor without the program of a model makes no run fail; the list says why, and the metrics count the executor as faulty', async () => {
  const run = await request('Program', 7);
  await fleet.start('bare', { ...one, env: { PATH: '/nowhere' } });
  await until('the list shows the missing program', async () =>
    (await fleet.listed('bare'))?.problem?.includes('there is no such program'),
  );
  const lines = [
    'foray_executors{state="able"} 0',
    'foray_executors{state="faulty"} 1',
    'foray_executor_slots 0',
    // a faulty executor keeps its lane (its workflow on Temporal)
    'foray_lanes 1',
  ];
  await until('the metrics have the faulty executor alone', async () => {
    const metrics = (await (await fetch(fleet.service.running.metricsUrl!)).text()).split('\n');
    return lines.every((line) => metrics.includes(line));
  });
  await completeElsewhere(run);
});

test('a program stays loaded on an executor elsewhere, and a leak that the executor finds is told by the service', async () => {
  await fleet.start('loaded', one);
  const version = await fleet.service.latest('Loop');
  for (const [N, out] of [
    [1, '1'],
    [2, '2'],
    [3, '3'],
    [4, '1'],
    [5, '1'],
  ] as const)
    expect([N, (await outputsOf(fleet.service, version, { N })).get('Out')]).toEqual([N, out]);
  const leak = await until('the service knows the leak', async () => {
    const { body } = await fleet.service.get<VersionCode>(`/versions/${version}/code`);
    return body.leak;
  });
  expect(leak).toContain('"Out" was 3 after other runs of its process, and 1 in a new process');
  expect(fleet.problems).toContainEqual(expect.stringContaining('"Out" was 3 after other runs'));
});

test('an executor with a wrong key or without a cache folder ends at once and says what to do', async () => {
  const wrong = fleet.spawn('wrong', { env: { FORAY_EXECUTOR_KEY: 'wrong' } });
  const file = path.join(folderOfFile(), 'file');
  writeFileSync(file, '');
  const homeless = fleet.spawn('homeless', { cache: file });
  // the Slurm script of the guide distinguishes a refusal from a fault of one machine by the exit code
  expect([await wrong.exit, await homeless.exit]).toEqual([2, 4]);
  expect(wrong.lines.join()).toContain('foray keys add NAME --role executor');
  expect(homeless.lines.join()).toContain('Name another folder with --cache');
  expect(await fleet.executors()).not.toContainEqual(expect.objectContaining({ name: 'wrong' }));
});

test('the service refuses an executor of another build, and the list shows it', async () => {
  const other = folderOfFile();
  const about = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as object;
  writeFileSync(path.join(other, 'package.json'), JSON.stringify({ ...about, version: '99.0.0' }));
  for (const name of ['src', 'dist']) symlinkSync(path.join(PROGRAM, name), path.join(other, name));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(other, 'node_modules'));
  const links = ['--preserve-symlinks', '--preserve-symlinks-main'];
  const executor = fleet.spawn('newer', { program: [...links, path.join(other, 'src/cli/foray.mjs')] });
  expect(await executor.exit).toBe(2);
  const why = `foray 99.0.0, and the service is foray ${build}: install the same version`;
  expect(executor.lines.join()).toContain(why);
  expect(await fleet.listed('newer')).toMatchObject({ build: '99.0.0', problem: `it is ${why}` });
});

test('an executor drains when a newer executor has the same name', async () => {
  const older = await fleet.start('same');
  const newer = await fleet.start('same');
  expect(await older.exit).toBe(0);
  expect(older.lines.join()).toContain('has the name "same": give each executor its own --name');
  await until('the list has the newer executor', async () => (await fleet.listed('same'))?.isThere === true);
  newer.child.kill('SIGTERM');
  expect(await newer.exit).toBe(0);
});

test('an executor works with a clock that is wrong by an hour', async () => {
  const file = path.join(folderOfFile(), 'clock.mjs');
  writeFileSync(
    file,
    `const { now } = Date;
     Date.now = () => now() + ${HOUR};
     globalThis.Date = class extends Date { constructor(...given) { super(...(given.length ? given : [Date.now()])); } };`,
  );
  await fleet.start('early', { ...one, env: { NODE_OPTIONS: `--import=${file}` } });
  await outputsOf(fleet.service, await fleet.service.latest('Program'), { N: 10 });
  const { since, problem } = (await fleet.listed('early'))!;
  expect(problem).toBeNull();
  expect(Date.parse(since)).toBeGreaterThan(Date.now() + HOUR / 2);
});

test('runs wait if no executor can fetch the files of their version; the list names the model, and runs of other models continue', async () => {
  const { service } = fleet;
  const id = await service.latest('Lost');
  const [row] = rows(service.dataDir, `SELECT manifest FROM versions WHERE id = '${id}'`);
  const { files } = JSON.parse(row!.manifest as string) as { files: { path: string; sha256: string }[] };
  const name = contentName(files.find((file) => file.path.endsWith('sim.mjs'))!.sha256);
  const kept = path.join(service.dataDir, 'versions', 'content', name.slice(0, 2), name);
  const content = readFileSync(kept);
  rmSync(kept);
  await fleet.start('fetching', one);
  const run = await request('Lost', 1);
  await until('the list shows the version that cannot be fetched', async () =>
    (await fleet.listed('fetching'))?.refusals.some((refusal) => /^Lost: .*cannot be fetched/.test(refusal)),
  );
  await outputsOf(service, await service.latest('Program'), { N: 8 });
  expect((await fleet.listed('fetching'))!.problem).toBeNull();
  writeFileSync(kept, content);
  await reach(service, run, 'COMPLETED');
});

test('runs wait if no executor has what their model needs; the service reports this, and a suitable executor executes the runs', async () => {
  await fleet.start('plain', one);
  const run = await request('Needy', 1);
  const line = await until('the service reports the waiting runs', () =>
    fleet.problems.find((problem) => problem.includes('Needy')),
  );
  expect(line).toBe('Runs of the model "Needy" wait: no executor has gpu.');
  expect((await healthOf(fleet.service.running.url)).problems).toMatchObject([{ code: 'RUNS_UNSERVED' }]);
  expect((await stateOf(fleet.service, run)).status).toBe('FRESH');
  await fleet.start('gpu', { flags: ['--slots', '1', '--has', 'gpu,python3.12'] });
  await reach(fleet.service, run, 'COMPLETED');
  await until('the service reports the end of the problem', () =>
    fleet.problems.includes(`This is over: ${line}`),
  );
});

test('an executor whose key was removed exits, and another executor executes its run', async () => {
  const key = await addKey(fleet.keyFile, 'guest', 'executor');
  const guest = await fleet.start('guest', { ...one, env: { FORAY_EXECUTOR_KEY: key } });
  const { runs, open } = await gatedRuns(fleet, 1);
  const run = runs[0]!;
  await reach(fleet.service, run, 'RUNNING');
  await revokeKeys(fleet.keyFile, 'guest');
  expect(await guest.exit).toBe(0);
  expect(guest.lines.join()).toContain('The key is not the key of an executor');
  await reach(fleet.service, run, 'FRESH');
  expect(rows(fleet.service.dataDir, `SELECT losses FROM runs WHERE id = '${run.id}'`)).toEqual([
    { losses: 0 },
  ]);
  open();
  await completeElsewhere(run);
});

test('another executor executes the run of an executor that reaches only Temporal; that executor works again when it reaches the service', async () => {
  const { port } = new URL(fleet.service.running.url);
  const proxy = await startProxy(Number(port), () => 0);
  onCleanup(() => proxy.close());
  const cut = await fleet.start('cut', {
    flags: ['--slots', '1', '--service-url', `http://127.0.0.1:${proxy.port}`],
  });
  const { runs, open } = await gatedRuns(fleet, 1);
  const run = runs[0]!;
  await reach(fleet.service, run, 'RUNNING');
  await proxy.spoil('down');
  open();
  const able = await fleet.start('able', one);
  await reach(fleet.service, run, 'COMPLETED');
  expect(rows(fleet.service.dataDir, `SELECT executions, losses FROM runs WHERE id = '${run.id}'`)).toEqual([
    { executions: 2, losses: 0 },
  ]);
  await able.kill();
  await proxy.heal();
  await outputsOf(fleet.service, await fleet.service.latest('Program'), { N: 9 });
  expect(cut.child.exitCode).toBeNull();
  const fault = /^A request to http:\/\/127\S+ failed: the service does not answer/;
  expect(cut.lines).toContainEqual(expect.stringMatching(fault));
});

const isRoot = process.getuid?.() === 0 && process.platform === 'linux';

// only root may mount a disk; in some containers, even root may not
(isRoot ? describe : describe.skip)('a full disk', () => {
  test('of an executor makes no run fail: the executor claims no runs and says why', async () => {
    const disk = smallDisk('4m');
    if (disk === undefined) return console.warn('left out: a file system cannot be mounted here');
    onCleanup(() => disk.remove());
    const full = await fleet.start('full', { ...one, cache: disk.folder });
    await outputsOf(fleet.service, await fleet.service.latest('Writer'), { N: 0 });
    // this run writes a file that is larger than the disk
    const run = await request('Writer', 5);
    await until('the list shows the full disk', async () =>
      (await fleet.listed('full'))?.problem?.includes('the disk is full'),
    );
    await full.kill();
    await fleet.start('filled', { ...one, cache: disk.folder });
    fillDisk(path.join(disk.folder, 'filler'));
    await until('the executor reports the full disk', async () =>
      /full|no space/i.test((await fleet.listed('filled'))?.problem ?? ''),
    );
    // it waits for another executor
    await reach(fleet.service, run, 'FRESH');
  });
});
