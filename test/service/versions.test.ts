import { writeFileSync, rmSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Model, Outputs } from '../../src/api/resources.ts';
import { startService } from '../../src/service/service.ts';
import {
  outputsOf,
  reach,
  requestRun,
  startTestService,
  temporaryFolder,
  until,
  writeModel,
} from './support.ts';

const source = (factor: number) => `
  export default {
    name: 'Multiplier', description: '', inputs: [{ name: 'N', type: 'DOUBLE', default: 1 }],
    outputs: [{ name: 'Product', type: 'DOUBLE' }],
    run({ inputs }) { return { Product: inputs.N * ${factor} }; },
  };`;

describe('versions of models', () => {
  test('a changed model gets a new version; the old version keeps its results and still executes runs', async () => {
    const [models, dataDir] = [temporaryFolder(), temporaryFolder()];
    const start = () => startTestService({ dataDir, modelDirs: [models] });
    writeModel(models, 'multiplier', source(2));
    const before = await start();
    const first = await before.latest('Multiplier');
    expect((await outputsOf(before, first, { N: 4 })).get('Product')).toBe('8');
    await before.close();

    const unchanged = await start();
    expect(await unchanged.latest('Multiplier')).toBe(first);
    await unchanged.close();

    writeModel(models, 'multiplier', source(3));
    const after = await start();
    const { body: model } = await after.post<Model>('/models/name/', 'Multiplier');
    expect(model.modelVersions).toHaveLength(2);
    const second = model.modelVersions[1]!;
    expect((await after.get(`/models/${model.id}/versions/number/2`)).body).toMatchObject({
      id: second,
      version: 2,
    });
    expect((await outputsOf(after, second, { N: 4 })).get('Product')).toBe('12');

    const { body: old } = await requestRun(after, first, { N: 4 });
    expect(old.status).toBe('COMPLETED');
    const { body: outputs } = await after.post<Outputs>(`/versions/${first}/results/${old.id}`, []);
    expect(outputs[0]!.value).toBe('8');
    expect((await outputsOf(after, first, { N: 5 })).get('Product')).toBe('10');
    await after.close();

    writeModel(models, 'multiplier', source(2));
    const back = await start();
    expect((await outputsOf(back, first, { N: 6 })).get('Product')).toBe('12');
  });

  test('a change in a folder without a model makes new versions of the models beside it, which may use its code', async () => {
    const [models, dataDir] = [temporaryFolder(), temporaryFolder()];
    writeModel(models, 'multiplier', source(2));
    mkdirSync(path.join(models, 'lib'));
    const versions = [];
    for (const content of ['export const a = 1;', 'export const a = 2;']) {
      writeFileSync(path.join(models, 'lib', 'shared.js'), content);
      const service = await startTestService({ dataDir, modelDirs: [models] });
      versions.push(await service.latest('Multiplier'));
      await service.close();
    }
    expect(new Set(versions).size).toBe(2);
  });

  test('a run that was interrupted before the model changed is executed again with the code of its own version', async () => {
    const [models, dataDir] = [temporaryFolder(), temporaryFolder()];
    const gate = path.join(temporaryFolder(), 'gate');
    const waiting = `
      const { existsSync } = await import('node:fs');
      while (!existsSync(${JSON.stringify(gate)})) await new Promise((resolve) => setTimeout(resolve, 10));`;
    writeModel(
      models,
      'multiplier',
      source(2).replace('run({ inputs }) {', `async run({ inputs }) { ${waiting}`),
    );
    const before = await startTestService({ dataDir, modelDirs: [models] });
    const { body: run } = await requestRun(before, await before.latest('Multiplier'), { N: 2 });
    await reach(before, run, 'RUNNING');
    await before.close();
    writeModel(models, 'multiplier', source(3));
    writeFileSync(gate, '');
    const after = await startTestService({ dataDir, modelDirs: [models] });
    await reach(after, run, 'COMPLETED');
    const { body } = await after.post<Outputs>(`/versions/${run.modelVersionId}/results/${run.id}`, []);
    expect(body[0]!.value).toBe('4');
  });

  test('an old version is never executed with code that changed while the service runs', async () => {
    const models = temporaryFolder();
    writeModel(models, 'multiplier', source(2));
    const service = await startTestService({ modelDirs: [models] });
    const version = await service.latest('Multiplier');
    writeModel(models, 'multiplier', source(3));
    expect((await outputsOf(service, version, { N: 2 })).get('Product')).toBe('4');
  });

  test('a removed model keeps its results and still executes runs', async () => {
    const [models, dataDir] = [temporaryFolder(), temporaryFolder()];
    writeModel(models, 'multiplier', source(2));
    const before = await startTestService({ dataDir, modelDirs: [models] });
    const version = await before.latest('Multiplier');
    await outputsOf(before, version, { N: 2 });
    await before.close();
    rmSync(path.join(models, 'multiplier'), { recursive: true });
    const after = await startTestService({ dataDir, modelDirs: [models] });
    const { body: run } = await requestRun(after, version, { N: 2 });
    const found = await until(() => (run.status === 'COMPLETED' ? run : undefined), 'the old run');
    expect((await after.post<Outputs>(`/versions/${version}/results/${found.id}`, [])).status).toBe(200);
    expect((await outputsOf(after, version, { N: 3 })).get('Product')).toBe('6');
  });
});

describe('invalid models', () => {
  test.each([
    ['a syntax error', 'export default {', /cannot be loaded/],
    ['no function "run"', 'export default { name: "A" };', /has no function "run"/],
    ['a call of process.exit', 'process.exit(0);', /ended the thread/],
    ['a wrong type', source(1).replace("'DOUBLE', default", "'NUMBER', default"), /inputs\.N\.type/],
    ['a wrong default', source(1).replace('default: 1', "default: 'one'"), /the default of "N" is "one"/],
    ['an unknown system input', source(1).replace("'N'", "'{SPEED}'"), /"\{SPEED\}" is not a system input/],
    [
      'an experiment with two values of an input',
      source(1).replace(
        'run',
        "experiments: [{ name: 'Base', type: 'SIMULATION', inputs: { N: 1, n: 2 } }], run",
      ),
      /experiment "Base" sets "n" twice/,
    ],
    [
      'an animation without start',
      source(1).replace('run', 'animation: { width: 1 }, run'),
      /no function "start"/,
    ],
    [
      'an animation without height',
      source(1).replace('run', "animation: { width: 1, units: 'DAY', start() {} }, run"),
      /animation\.height/,
    ],
    ['an unknown field', source(1).replace("description: ''", "description: '', colour: 1"), /colour/],
  ])(
    'with %s are refused at the start, and the error has the path of the model',
    async (_, text, message) => {
      const models = temporaryFolder();
      writeModel(models, 'broken', text);
      const dataDir = temporaryFolder();
      const starting = startService({ dataDir, modelDirs: [models] });
      await expect(starting).rejects.toMatchObject({
        code: 'MODEL_INVALID',
        message: expect.stringMatching(message),
      });
      await expect(starting).rejects.toThrow(path.join(models, 'broken'));
    },
  );

  test('with the same name are refused at the start, like a missing folder of models', async () => {
    const models = temporaryFolder();
    writeModel(models, 'one', source(1));
    writeModel(models, 'two', source(1).replace('Multiplier', 'MULTIPLIER'));
    const dataDir = temporaryFolder();
    const nowhere = path.join(models, 'nowhere');
    for (const [dir, message] of [
      [models, /Two models have the name/],
      [nowhere, /nowhere is not there/],
    ] as const) {
      await expect(startService({ dataDir, modelDirs: [dir] })).rejects.toThrow(message);
    }
  });
});
