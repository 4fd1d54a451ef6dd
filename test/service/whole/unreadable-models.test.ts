import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Run } from '../../../src/api/resources.ts';
import type { ServiceOptions } from '../../../src/service/service-options.ts';
import { writeCommandModel } from '../command-model.ts';
import {
  healthOf,
  outputsOf,
  reach,
  requestRun,
  rows,
  startTestService,
  stateOf,
  temporaryFolder,
  type TestService,
  until,
  versionsOf,
  writeModel,
} from '../support.ts';

let [models, elsewhere, marks] = ['', '', ''];
let lines: string[] = [];

/** The source of a model. Its runs with N = 0 wait until the file `go` exists. */
const MODULE = () => `
  import { existsSync, writeFileSync } from 'node:fs';
  import { setTimeout } from 'node:timers/promises';
  import { half } from '../lib/half.js';
  export default {
    name: 'Module', description: '', published: true,
    inputs: [{ name: 'N', type: 'DOUBLE', default: 1 }], outputs: [{ name: 'Out', type: 'DOUBLE' }],
    async run({ inputs }) {
      writeFileSync(${JSON.stringify(marks)} + '/module', '');
      while (inputs.N === 0 && !existsSync(${JSON.stringify(marks)} + '/go')) await setTimeout(10);
      return { Out: half(inputs.N) };
    },
  };`;

beforeEach(() => {
  [models, elsewhere, marks] = [path.join(temporaryFolder(), 'models'), temporaryFolder(), temporaryFolder()];
  lines = [];
  writeModel(models, 'module', MODULE());
  mkdirSync(path.join(models, 'lib'));
  writeFileSync(path.join(models, 'lib', 'half.js'), 'export const half = (n) => n / 2;');
  writeCommandModel(
    models,
    'Program',
    `const { existsSync } = await import('node:fs');
     writeFileSync(${JSON.stringify(marks)} + '/program', '');
     while (inputs.N === 0 && !existsSync(${JSON.stringify(marks)} + '/go')) await new Promise((done) => setTimeout(done, 10));
     say({ outputs: { Out: inputs.N / 2 } });`,
  );
});

const start = (options: Partial<ServiceOptions> = {}) =>
  startTestService({
    modelDirs: [models],
    onModels: (line) => lines.push(line),
    onProblem: (line) => lines.push(line),
    ...options,
  });

const problemsOf = async ({ running }: TestService) => (await healthOf(running.url)).problems;

const seen = (service: TestService, code: string) =>
  until(
    async () => (await problemsOf(service)).find((problem) => problem.code === code),
    `the problem ${code}`,
  );

const isWell = (service: TestService) =>
  until(async () => (await problemsOf(service)).length === 0 || undefined, 'the service to be healthy');

const failed = ({ dataDir }: TestService) =>
  rows(dataDir, `SELECT failure FROM runs WHERE status = 'FAILED'`);

async function requestBoth(service: TestService, N: number): Promise<Run[]> {
  const runs = [];
  for (const model of ['Module', 'Program']) {
    const { status, body } = await requestRun(service, await service.latest(model), { N });
    expect(status).toBe(200);
    runs.push(body);
  }
  return runs;
}

describe('a folder of models that cannot be read', () => {
  test('does not change its models; runs wait, and complete when the service can read the folder again', async () => {
    const service = await start();
    // one run of each model is executing when the folder disappears, and further runs wait
    const runs = [...(await requestBoth(service, 0)), ...(await requestBoth(service, 2))];
    await until(
      () => ['module', 'program'].every((name) => existsSync(path.join(marks, name))) || undefined,
      'the start of both runs',
    );
    renameSync(models, path.join(elsewhere, 'away'));
    writeFileSync(path.join(marks, 'go'), '');
    expect(await seen(service, 'MODELS_UNREADABLE')).toEqual({
      code: 'MODELS_UNREADABLE',
      message: expect.not.stringContaining('/'),
      since: expect.any(String),
    });
    runs.push(...(await requestBoth(service, 4)));
    // the program runs in a copy of the model, so the folder is not needed any more
    await reach(service, runs[1]!, 'COMPLETED');
    for (const run of runs.slice(4)) expect((await stateOf(service, run)).status).toBe('FRESH');
    expect(failed(service)).toEqual([]);

    renameSync(path.join(elsewhere, 'away'), models);
    for (const run of runs) await reach(service, run, 'COMPLETED');
    await isWell(service);
    expect(failed(service)).toEqual([]);
    expect(rows(service.dataDir, 'SELECT number FROM versions')).toEqual([{ number: 1 }, { number: 1 }]);
    const said = lines.filter((line) => line.includes('folder of models'));
    expect(said).toEqual([expect.stringContaining(models), expect.stringContaining('over')]);
  });

  test('may be an empty folder, such as the mount point of a missing disk: runs wait for the models', async () => {
    const service = await start();
    const away = path.join(elsewhere, 'away');
    renameSync(models, away);
    mkdirSync(models);
    await seen(service, 'MODELS_UNREADABLE');
    const runs = await requestBoth(service, 2);
    rmSync(models, { recursive: true });
    renameSync(away, models);
    for (const run of runs) await reach(service, run, 'COMPLETED');
  });
});

describe('a single missing folder', () => {
  test.each(['module', 'lib'])(
    '(%s) does not count as a change of the model at first: runs of the model wait',
    async (name) => {
      // the clock of the service stands still, so that the folder never counts as removed
      const now = Date.now();
      const service = await start({ now: () => now });
      const folder = path.join(models, name);
      renameSync(folder, path.join(elsewhere, 'away'));
      const { message } = await seen(service, 'MODEL_UNREADABLE');
      expect(message).toContain('The model "Module"');
      const runs = await requestBoth(service, 2);
      await reach(service, runs[1]!, 'COMPLETED');
      expect((await stateOf(service, runs[0]!)).status).toBe('FRESH');
      renameSync(path.join(elsewhere, 'away'), folder);
      await reach(service, runs[0]!, 'COMPLETED');
      await isWell(service);
      expect(rows(service.dataDir, 'SELECT number FROM versions')).toEqual([{ number: 1 }, { number: 1 }]);
    },
  );

  test('is not called missing when only the file of its model is missing', async () => {
    const service = await start();
    const file = path.join(models, 'module', 'model.js');
    renameSync(file, path.join(elsewhere, 'away'));
    await seen(service, 'MODEL_UNREADABLE');
    const said = `The folder ${path.join(models, 'module')} has no model any more.`;
    expect(lines).toContainEqual(expect.stringContaining(said));
    renameSync(path.join(elsewhere, 'away'), file);
    await isWell(service);
  });

  test('counts as removed after 30 seconds, and waiting runs then use the kept files', async () => {
    let passed = 0;
    const service = await start({ now: () => Date.now() + passed });
    rmSync(path.join(models, 'module'), { recursive: true });
    await seen(service, 'MODEL_UNREADABLE');
    const [run] = await requestBoth(service, 2);
    passed = 30_000;
    await reach(service, run!, 'COMPLETED');
    await isWell(service);
  });
});

test('a model with an error counts as a changed model, and the service reports the error once', async () => {
  const service = await start();
  const version = await service.latest('Module');
  const file = path.join(models, 'module', 'model.js');
  const sound = readFileSync(file, 'utf8');
  writeFileSync(file, sound.replace('export default {', 'export default {{'));
  const state = async () => (await versionsOf(service, 'Module'))[0]!.state;
  await until(async () => ((await state()) === 'kept' ? true : undefined), 'the version to be kept');
  expect((await healthOf(service.running.url)).status).toBe('ok');
  await outputsOf(service, version, { N: 5 });
  writeFileSync(file, sound);
  await until(async () => ((await state()) === 'current' ? true : undefined), 'the version to be current');
  expect(lines.filter((line) => line.includes('cannot be loaded'))).toHaveLength(1);
});
