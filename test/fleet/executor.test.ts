import { expect, test } from '@jest/globals';
import { writeCommandModel } from '../service/command-model.ts';
import { SHIPPED_MODELS } from '../service/fixed.ts';
import { outputsOf, reach, requestRun, rows, startTestService, temporaryFolder } from '../service/support.ts';
import { until } from '../support/until.ts';
import { startFleet } from './fleet.ts';

test('runs of modules and programs, with files, give the same as in the service itself', async () => {
  const folder = temporaryFolder();
  writeCommandModel(
    folder,
    'Files',
    `writeFileSync('out.txt', 'twice ' + inputs.N * 2 + (inputs.File ? readFileSync(inputs.File, 'utf8') : ''));
     say({ progress: 0.5 });
     say({ outputs: { Out: inputs.N * 2, Text: 'out.txt' } });`,
    ['Out: DOUBLE', 'Text: OUTPUT_FILE'],
  );
  const modelDirs = [SHIPPED_MODELS, folder];
  const fleet = await startFleet({ modelDirs });
  const alone = await startTestService({ modelDirs });
  await Promise.all([fleet.start('one', ['--slots', '2']), fleet.start('two', ['--slots', '2'])]);
  for (const [model, inputs] of [
    ['Files', { N: 3 }],
    ['Epidemic', { Days: 5 }],
  ] as const) {
    const results = [];
    for (const service of [fleet.service, alone]) {
      const version = await service.latest(model);
      results.push([...(await outputsOf(service, version, inputs))]);
    }
    expect(results[0]).toEqual(results[1]);
  }
});

test('an executor that is killed loses no run: another takes them over', async () => {
  const fleet = await startFleet({ modelDirs: [SHIPPED_MODELS] });
  const version = await fleet.service.latest('Rehearsal');
  const first = await fleet.start('first', ['--slots', '2']);
  const runs = [];
  for (const Value of [1, 2, 3, 4])
    runs.push((await requestRun(fleet.service, version, { Seconds: 2, Value })).body);
  await reach(fleet.service, runs[0]!, 'RUNNING');
  await fleet.start('second', ['--slots', '2']);
  await first.kill();
  for (const run of runs) await reach(fleet.service, run, 'COMPLETED');
  const { dataDir } = fleet.service;
  expect(rows(dataDir, 'SELECT count(*) AS results FROM results')).toEqual([{ results: 4 }]);
  expect(rows(dataDir, 'SELECT max(losses) AS losses FROM runs')).toEqual([{ losses: 1 }]);
});

test('SIGTERM drains: what executes ends here, what waits is executed elsewhere, nothing twice', async () => {
  const fleet = await startFleet({ modelDirs: [SHIPPED_MODELS] });
  const version = await fleet.service.latest('Rehearsal');
  const first = await fleet.start('first', ['--slots', '2']);
  const runs = [];
  for (const Value of [1, 2, 3, 4])
    runs.push((await requestRun(fleet.service, version, { Seconds: 2, Value })).body);
  await reach(fleet.service, runs[1]!, 'RUNNING');
  first.child.kill('SIGTERM');
  expect(await first.exit).toBe(0);
  await fleet.start('second', ['--slots', '2', '--leave-when-idle', '15s']);
  for (const run of runs) await reach(fleet.service, run, 'COMPLETED');
  expect(rows(fleet.service.dataDir, 'SELECT DISTINCT executions, losses FROM runs')).toEqual([
    { executions: 1, losses: 0 },
  ]);
  // it leaves by itself
  await until('no executor is listed', async () => (await fleet.executors()).length === 0);
});

test('an executor without the program of a model fails no run, and says why it claims nothing', async () => {
  const folder = temporaryFolder();
  writeCommandModel(folder, 'Program', 'say({ outputs: { Out: inputs.N } });');
  const fleet = await startFleet({ modelDirs: [folder] });
  const version = await fleet.service.latest('Program');
  await fleet.start('bare', ['--slots', '1'], { PATH: '/nowhere' });
  const { body: run } = await requestRun(fleet.service, version, { N: 7 });
  await until('it says so', async () =>
    (await fleet.executors()).some(({ problem }) => problem?.includes('there is no such program')),
  );
  await fleet.start('able', ['--slots', '1']);
  await reach(fleet.service, run, 'COMPLETED');
});

test('a wrong key is refused at the start, with what to do', async () => {
  const fleet = await startFleet({ modelDirs: [SHIPPED_MODELS] });
  const executor = fleet.spawn('wrong', [], { FORAY_EXECUTOR_KEY: 'wrong' });
  expect(await executor.exit).toBe(2);
  expect(executor.lines.join()).toContain('foray service keys add NAME --executor');
});
