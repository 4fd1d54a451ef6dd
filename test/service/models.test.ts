import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Experiment, Model, Version } from '../../src/api/resources.ts';
import { startService } from '../../src/service/service.ts';
import { SHIPPED_MODELS, KEY, startTestService, temporaryFolder, writeModel } from './support.ts';

describe('models and versions', () => {
  test('the service lists the shipped models with their versions and stored experiments', async () => {
    const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
    const models = (await service.get<unknown[]>('/models')).body.map((model) => Model.parse(model));
    expect(models.map(({ name, published }) => [name, published])).toEqual([
      ['Epidemic', true],
      ['Inventory', true],
      ['Rehearsal', true],
      ['Service System Demo', true],
    ]);
    for (const model of models) {
      expect((await service.get(`/models/${model.id}`)).body).toEqual(model);
      const [versionId] = model.modelVersions;
      const byId = await service.get(`/models/${model.id}/versions/${versionId}`);
      const byNumber = await service.get(`/models/${model.id}/versions/number/1`);
      const version = Version.parse(byId.body);
      expect(byNumber.body).toEqual(byId.body);
      expect(version).toMatchObject({ id: versionId, version: 1, experimentTemplate: { dashboard: {} } });
      for (const output of version.experimentTemplate.outputs) expect(output.value).toBeNull();

      const { body } = await service.get<unknown[]>(`/versions/${versionId}/experiments`);
      const [experiment] = body.map((item) => Experiment.parse(item));
      expect(experiment).toMatchObject({ name: 'Baseline', type: 'SIMULATION', modelVersion: versionId });
      expect(experiment!.inputs).toEqual(version.experimentTemplate.inputs);
    }
  });

  test('a curve has the x axis that the model declares', async () => {
    const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
    const { body: model } = await service.post<Model>('/models/name/', 'Epidemic');
    const { body } = await service.get<Version>(`/models/${model.id}/versions/number/1`);
    const { outputs } = Version.parse(body).experimentTemplate;
    expect(outputs.filter(({ axis }) => axis).map(({ name, axis }) => [name, axis])).toEqual([
      ['Infected', { name: 'Time', units: 'DAY' }],
    ]);
  });

  test('an axis with a start is not logarithmic', async () => {
    const folder = temporaryFolder();
    writeModel(
      folder,
      'drawn',
      `export default { name: 'Drawn', description: '', inputs: [], run: () => ({}), outputs: [
        { name: 'Q', type: 'DATA_SET', axis: { units: 'DAY', scale: 'log', start: '2026-01-31' } }] };`,
    );
    await expect(startService({ dataDir: temporaryFolder(), modelDirs: [folder] })).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringContaining('an axis of dates is linear'),
    });
  });

  test('an example in TypeScript below node_modules is refused with what to do', async () => {
    const folder = path.join(temporaryFolder(), 'node_modules/foray/examples/shop');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'model.ts'), 'export default { name: 1 as number };');
    await expect(startService({ dataDir: temporaryFolder(), modelDirs: [folder] })).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      hint: 'Node runs no TypeScript in node_modules. Copy the folder of the model to another place.',
    });
  });

  test('defaults are always texts', async () => {
    const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
    const { body: model } = await service.post<Model>('/models/name/', 'Epidemic');
    const { body: version } = await service.get<Version>(`/models/${model.id}/versions/number/1`);
    expect(version.experimentTemplate.inputs).toEqual([
      { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' },
      { name: 'Population', type: 'INTEGER', units: null, value: '763' },
      { name: 'Initially infected', type: 'INTEGER', units: null, value: '1' },
      { name: 'Contact rate', type: 'DOUBLE', units: 'PER_DAY', value: '1.66' },
      { name: 'Recovery rate', type: 'DOUBLE', units: 'PER_DAY', value: '0.44' },
      { name: 'Days', type: 'INTEGER', units: 'DAY', value: '14' },
      { name: 'Stochastic', type: 'BOOLEAN', units: null, value: 'false' },
      { name: 'Observed cases', type: 'INPUT_FILE', units: null, value: '' },
    ]);
  });

  test('the service finds a model by name in each form in which clients send the name', async () => {
    const { running } = await startTestService({ modelDirs: [SHIPPED_MODELS] });
    const ask = async (method: string, path: string, body: string | null, headers = {}) => {
      const response = await fetch(running.url + path, {
        method,
        body,
        headers: { Authorization: KEY, ...headers },
      });
      return ((await response.json()) as Model).name;
    };
    expect(await ask('POST', '/models/name/', '"Epidemic"', { 'Content-Type': 'application/json' })).toBe(
      'Epidemic',
    );
    expect(await ask('POST', '/models/name', '"Epidemic"')).toBe('Epidemic');
    expect(await ask('POST', '/models/name/', 'Epidemic', { 'Content-Type': 'text/plain' })).toBe('Epidemic');
    expect(await ask('POST', '/models/name/', ' epidemic ')).toBe('Epidemic');
    expect(await ask('POST', '/models/name/Epidemic', null)).toBe('Epidemic');
    expect(await ask('GET', '/models/name/Epidemic', null)).toBe('Epidemic');
    expect(await ask('GET', '/models/name/Epidemic/', null)).toBe('Epidemic');
  });

  test('the ids of models and versions are the same on every installation', async () => {
    const [one, other] = await Promise.all([startTestService(), startTestService()]);
    expect((await one.get('/models')).body).toEqual((await other.get('/models')).body);
  });

  test('a request for an unknown model or version gets a 404 with the code of the error', async () => {
    const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
    const { body: models } = await service.get<Model[]>('/models');
    const [epidemic, rehearsal] = models.map(({ id }) => id);
    const foreign = models[1]!.modelVersions[0];
    for (const [path, code] of [
      ['/models/nowhere', 'UNKNOWN_MODEL'],
      ['/models/name/Nobody', 'UNKNOWN_MODEL'],
      [`/models/name/${'n'.repeat(900)}`, 'UNKNOWN_MODEL'],
      [`/models/${epidemic}/versions/number/2`, 'UNKNOWN_VERSION'],
      [`/models/${epidemic}/versions/number/one`, 'UNKNOWN_VERSION'],
      [`/models/${epidemic}/versions/${foreign}`, 'UNKNOWN_VERSION'],
      [`/models/${rehearsal}/versions/nowhere`, 'UNKNOWN_VERSION'],
      ['/versions/nowhere/experiments', 'UNKNOWN_VERSION'],
    ]) {
      expect([path, (await service.get(path!)).body]).toMatchObject([path, { status: 404, code }]);
    }
    expect((await service.post('/models/name/', '')).body).toMatchObject({ status: 400 });
  });
});
