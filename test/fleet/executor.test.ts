import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { Run } from '../../src/api/resources.ts';
import { laneOf } from '../../src/service/fleet/lane.ts';
import { writeCommandModel } from '../service/command-model.ts';
import { onCleanup, outputsOf, reach, requestRun, rows, simulation, upload } from '../service/support.ts';
import { writeGated } from '../support/gated.ts';
import { until } from '../support/until.ts';
import { folderOfFile, gatedRuns, jumpingClock, startFleet, type TestFleet } from './fleet.ts';

const HOUR = 3_600_000;

let fleet: TestFleet;
/** The number of the last run. Each run gets another number. */
let next = 0;
/** The runs of the model "Versions" wait until this file exists. */
let gateOfVersions: string;

beforeAll(async () => {
  fleet = await startFleet((folder) => {
    writeCommandModel(
      folder,
      'Files',
      `writeFileSync('out.txt', 'twice ' + inputs.N * 2 + (inputs.File ? readFileSync(inputs.File, 'utf8') : ''));
       say({ progress: 0.5 });
       say({ outputs: { Out: inputs.N * 2, Text: 'out.txt' } });`,
      ['Out: DOUBLE', 'Text: OUTPUT_FILE'],
    );
    gateOfVersions = path.join(folderOfFile(), 'gate');
    writeCommandModel(folder, 'Versions', version(1));
    writeGated(folder);
  });
});

/** A program whose runs wait until a file exists, and give the version as their output. */
function version(number: number): string {
  return `
    const { existsSync } = process.getBuiltinModule('node:fs');
    const waiting = setInterval(() => {
      if (!existsSync(${JSON.stringify(gateOfVersions)})) return;
      clearInterval(waiting);
      say({ outputs: { Out: ${number} } });
    }, 50);`;
}

/** Requests runs that sleep, and stops them at the end of the test. */
async function sleepers(count: number, seconds: number): Promise<Run[]> {
  const version = await fleet.service.latest('Rehearsal');
  const runs = [];
  for (let index = 0; index < count; index += 1) {
    const inputs = { Seconds: seconds, Value: (next += 1) };
    runs.push((await requestRun(fleet.service, version, inputs)).body);
    onCleanup(
      async () => void (await fleet.service.post(`/versions/${version}/runs/stop`, simulation(inputs))),
    );
  }
  return runs;
}

/** How often each run was executed, and how often the run lost its executor. Equal pairs of numbers appear once. */
function historyOf(runs: readonly Run[]) {
  const ids = runs.map(({ id }) => `'${id}'`).join(', ');
  return rows(
    fleet.service.dataDir,
    `SELECT DISTINCT executions, losses FROM runs WHERE id IN (${ids}) ORDER BY executions`,
  );
}

test('another executor executes the runs of a killed executor, the list of executors shows this, and no run is lost', async () => {
  const { service } = fleet;
  const { runs, open } = await gatedRuns(fleet, 4);
  const count = (what: string) => rows(service.dataDir, `SELECT id FROM runs WHERE ${what}`).length;
  const first = await fleet.start('killed', { flags: ['--slots', '2'] });
  await until('the executor executes two runs', () => count(`status = 'RUNNING'`) === 2);
  await first.kill();
  await fleet.start('heir', { flags: ['--slots', '2'] });
  await until('two runs have lost their executor', () => count('losses = 1') === 2);
  await until(
    'the list shows two runs at the other executor',
    async () => (await fleet.listed('heir'))?.running === 2,
  );
  open();
  for (const run of runs) await reach(service, run, 'COMPLETED');
  expect(historyOf(runs)).toEqual([
    { executions: 1, losses: 0 },
    { executions: 2, losses: 1 },
  ]);
  const ids = runs.map(({ id }) => `'${id}'`).join(', ');
  expect(
    rows(
      service.dataDir,
      `SELECT count(*) AS n FROM results JOIN runs ON seq = run_seq WHERE id IN (${ids})`,
    ),
  ).toEqual([{ n: 4 }]);
});

test('a run is executed again if somebody terminates the lane of its executor and the executor is killed', async () => {
  const { service, temporal } = fleet;
  const { runs, open } = await gatedRuns(fleet, 1);
  const run = runs[0]!;
  const unlucky = await fleet.start('unlucky', { flags: ['--slots', '1'] });
  await reach(service, run, 'RUNNING');
  const [held] = rows(service.dataDir, `SELECT holder FROM runs WHERE id = '${run.id}'`);
  const { workflowId, runId } = laneOf(held!.holder as string);
  await unlucky.kill();
  const connection = await Connection.connect({ address: temporal.address });
  await new Client({ connection }).workflow.getHandle(workflowId, runId).terminate();
  await connection.close();
  await fleet.start('lucky', { flags: ['--slots', '1'] });
  open();
  await reach(service, run, 'COMPLETED');
  // this is not the fault of the run
  expect(historyOf([run])).toEqual([{ executions: 2, losses: 0 }]);
});

test('SIGTERM drains an executor: the executor finishes its executing runs, another executor executes the waiting runs, and no run executes twice', async () => {
  const first = await fleet.start('drained', { flags: ['--slots', '2'] });
  const { runs, open } = await gatedRuns(fleet, 4);
  for (const run of runs.slice(0, 2)) await reach(fleet.service, run, 'RUNNING');
  first.child.kill('SIGTERM');
  await until('the executor drains', () => first.lines.some((line) => line.startsWith('Draining')));
  open();
  expect(await first.exit).toBe(0);
  expect(await fleet.listed('drained')).toBeUndefined();
  const { env, jump } = jumpingClock();
  const second = await fleet.start('idle', { flags: ['--slots', '2', '--leave-when-idle', '30m'], env });
  for (const run of runs) await reach(fleet.service, run, 'COMPLETED');
  expect(historyOf(runs)).toEqual([{ executions: 1, losses: 0 }]);
  // the idle executor exits by itself
  jump(HOUR);
  expect(await second.exit).toBe(0);
});

test('a free executor takes runs for which another executor has no slot', async () => {
  const first = await fleet.start('busy', { flags: ['--slots', '1'] });
  expect(first.lines[0]).toMatch(/^Executor busy works for http:.* \(slots: 1, process \d+\)$/);
  const [long] = await sleepers(1, 600);
  await reach(fleet.service, long!, 'RUNNING');
  await fleet.start('free', { flags: ['--slots', '1'] });
  const [short] = await sleepers(1, 0);
  await reach(fleet.service, short!, 'COMPLETED');
  expect(first.child.exitCode).toBeNull();
});

test('an executor returns its executing runs after a second SIGTERM, and also before the time in --ends; the service counts no loss', async () => {
  const leaving = await fleet.start('leaving', { flags: ['--slots', '1'] });
  const [run] = await sleepers(1, 600);
  await reach(fleet.service, run!, 'RUNNING');
  leaving.child.kill('SIGTERM');
  await until('the executor drains', () => leaving.lines.some((line) => line.startsWith('Draining')));
  leaving.child.kill('SIGTERM');
  expect(await leaving.exit).toBe(0);
  await reach(fleet.service, run!, 'FRESH');

  // the executor returns runs five seconds before its end
  const { env, jump } = jumpingClock();
  const ends = new Date(Date.now() + HOUR).toISOString();
  const ending = await fleet.start('ending', { flags: ['--slots', '1', '--ends', ends], env });
  await reach(fleet.service, run!, 'RUNNING');
  jump(HOUR - 4_000);
  expect(await ending.exit).toBe(0);
  await reach(fleet.service, run!, 'FRESH');
  expect(historyOf([run!])).toEqual([{ executions: 2, losses: 0 }]);
});

test('one executor executes versions 1 and 2 of a model, and each run uses its own version', async () => {
  const { service } = fleet;
  const open = () => writeFileSync(gateOfVersions, '');
  onCleanup(open);
  const first = await service.latest('Versions');
  await fleet.start('versions', { flags: ['--slots', '2'] });
  const runs = [];
  for (let N = 0; N < 3; N += 1) runs.push((await requestRun(service, first, { N })).body);
  await reach(service, runs[0]!, 'RUNNING');
  writeCommandModel(fleet.models, 'Versions', version(2));
  const second = await until('there is a version 2', async () => {
    const latest = await service.latest('Versions');
    return latest !== first && latest;
  });
  for (let N = 0; N < 3; N += 1) {
    runs.push((await requestRun(service, second, { N })).body);
    runs.push((await requestRun(service, first, { N: 10 + N })).body);
  }
  open();
  for (const run of runs) {
    await reach(service, run, 'COMPLETED');
    const { body } = await service.post<{ value: string }[]>(
      `/versions/${run.modelVersionId}/results/${run.id}`,
      [],
    );
    expect(body[0]!.value).toBe(run.modelVersionId === first ? '1' : '2');
  }
});

test('an executor does not use damaged code or damaged input files in its cache, and fetches these files again', async () => {
  const { service } = fleet;
  const version = await service.latest('Files');
  const { body: File } = await upload(service, ' and a file');
  const first = await fleet.start('flipped', { flags: ['--slots', '1'] });
  const before = await outputsOf(service, version, { N: 100, File });
  const files = readdirSync(first.cache, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  const damaged = files.filter((file) => {
    const text = readFileSync(file, 'utf8');
    if (!/twice|and a file/.test(text)) return false;
    writeFileSync(file, text.replace('twice', 'thrice').replace('and', 'xnd'));
    return true;
  });
  // the five files are the program (in the cache, in the folder of its version and in the executor's own copy), the
  // input file and the output file
  expect(damaged).toHaveLength(5);
  const after = await outputsOf(service, version, { N: 100, File, Large: 1 });
  expect([...after]).toEqual([...before]);
  expect(await fleet.listed('flipped')).toMatchObject({ problem: null, refusals: [] });
});
