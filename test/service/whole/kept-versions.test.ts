import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Outputs } from '../../../src/api/resources.ts';
import { hashOf } from '../../../src/keys/hash.ts';
import {
  healthOf,
  outputsOf,
  reach,
  requestRun,
  SHIPPED_MODELS,
  startTestService,
  temporaryFolder,
  type TestService,
  until,
  versionsOf,
  writeModel,
} from '../support.ts';
import { writeCommandModel } from '../command-model.ts';
import { writeKernelModel, writeProgram, untilVersions, prune, contents } from '../kept-versions.ts';

let models: string;
beforeEach(() => {
  models = temporaryFolder();
  writeProgram(models, 1);
});

describe('old versions', () => {
  test('still run with their own code beside the newest version, also after a restart', async () => {
    writeKernelModel(models, 1);
    const before = await startTestService({ modelDirs: [models] });
    const out = async (service: TestService, version: string, N: number) =>
      (await outputsOf(service, version, { N })).get('Out');
    const kinds = [
      { model: 'Draws', write: writeKernelModel, times: 2 },
      { model: 'Program', write: writeProgram, times: 1 },
    ];
    const ids: [first: string, second: string][] = [];
    for (const { model, write, times } of kinds) {
      const first = await before.latest(model);
      const drawn = (await outputsOf(before, first, { N: 3 })).get('Drawn');
      write(models, 7);
      const [one, two] = await untilVersions(before, model, 2);
      expect(one).toMatchObject({ id: first, version: 1, state: 'kept', reason: null, runs: 1 });
      expect(two).toMatchObject({ version: 2, state: 'current', runs: 0 });
      expect(one!.size).toBeGreaterThan(100);
      expect(Date.parse(one!.madeAt!)).toBeLessThan(Date.parse(two!.madeAt!));
      expect(await out(before, first, 4)).toBe(String(times * 4));
      expect(await out(before, two!.id, 4)).toBe(String(times * 28));
      expect((await outputsOf(before, first, { N: 5 })).get('Drawn')).toBe(drawn);
      ids.push([first, two!.id]);
    }
    // the service also keeps the allowed values of the version
    expect((await requestRun(before, ids[0]![0], { N: -1 })).body).toMatchObject({ code: 'INVALID_VALUE' });
    await before.close();
    rmSync(models, { recursive: true });
    mkdirSync(models);
    const after = await startTestService({ dataDir: before.dataDir, modelDirs: [models] });
    for (const [at, { model, times }] of kinds.entries()) {
      const [first, second] = ids[at]!;
      expect((await versionsOf(after, model)).map(({ state, runs }) => [state, runs])).toEqual([
        ['kept', 3],
        ['kept', 1],
      ]);
      expect(await out(after, first, 6)).toBe(String(times * 6));
      expect(await out(after, second, 6)).toBe(String(times * 42));
    }
  });

  test('never run with a changed file in their folder: the service makes the folder again', async () => {
    writeKernelModel(models, 1);
    const service = await startTestService({ modelDirs: [models] });
    const [draws, program] = await Promise.all(['Draws', 'Program'].map((name) => service.latest(name)));
    writeKernelModel(models, 7);
    writeProgram(models, 7);
    await untilVersions(service, 'Draws', 2);
    await untilVersions(service, 'Program', 2);
    const made = path.join(service.dataDir, 'versions', 'cache');
    const flip = (from: string, to: string, name: string) => {
      const [file] = readdirSync(made, { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.name === name && entry.isFile(),
      );
      const at = path.join(file!.parentPath, name);
      const text = readFileSync(at, 'utf8');
      expect(text).toContain(from);
      writeFileSync(at, text.replace(from, to));
    };
    expect((await outputsOf(service, program!, { N: 1 })).get('Out')).toBe('1');
    flip('N * 1', 'N * 3', 'sim.mjs');
    expect((await outputsOf(service, program!, { N: 2 })).get('Out')).toBe('2');
    expect((await outputsOf(service, draws!, { N: 1 })).get('Out')).toBe('2');
    await service.close();
    flip('1', '3', 'factor.txt');
    const again = await startTestService({ dataDir: service.dataDir, modelDirs: [models] });
    expect((await outputsOf(again, draws!, { N: 2 })).get('Out')).toBe('4');
  });

  test('with damaged kept files let their runs wait, while all other runs continue', async () => {
    const service = await startTestService({ modelDirs: [models], executors: 1 });
    const first = await service.latest('Program');
    const sim = readFileSync(path.join(models, 'Program', 'sim.mjs'), 'utf8');
    const kept = contents(service)
      .map(({ parentPath, name }) => path.join(parentPath, name))
      .find((file) => readFileSync(file, 'utf8') === sim)!;
    writeFileSync(kept, sim.replace('N * 1', 'N * 3'));
    writeProgram(models, 7);
    const second = (await untilVersions(service, 'Program', 2))[1]!.id;
    const { body: run } = await requestRun(service, first, { N: 2 });
    await until(async () => {
      const { problems } = await healthOf(service.running.url);
      return problems.some(({ code }) => code === 'RUNS_DEFERRED') || undefined;
    }, 'the problem RUNS_DEFERRED');
    expect((await outputsOf(service, second, { N: 2 })).get('Out')).toBe('14');
    // each further attempt makes the run RUNNING for a moment
    await reach(service, run, 'FRESH');
    writeFileSync(kept, sim);
    await reach(service, run, 'COMPLETED');
    const { body } = await service.post<Outputs>(`/versions/${first}/results/${run.id}`, []);
    expect(body[0]!.value).toBe('2');
  });

  test('of a shipped model run with their own kernel', async () => {
    const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
    const version = await service.latest('Service System Demo');
    const before = await outputsOf(service, version);
    await service.close();
    // the test deletes the results, so the run executes again; the second service has only the kept files of this model
    const db = new DatabaseSync(path.join(service.dataDir, 'service.db'));
    db.exec('DELETE FROM results; DELETE FROM runs');
    db.close();
    const after = await startTestService({ dataDir: service.dataDir, modelDirs: [models] });
    expect(await outputsOf(after, version)).toEqual(before);
  });

  test('include the packages from the folder of the model, and keep the permissions of its files', async () => {
    const folder = path.join(models, 'Program');
    mkdirSync(path.join(folder, 'node_modules', 'five'), { recursive: true });
    writeFileSync(
      path.join(folder, 'node_modules', 'five', 'package.json'),
      '{"type": "module", "main": "five.js"}',
    );
    writeFileSync(path.join(folder, 'node_modules', 'five', 'five.js'), 'export default 5;');
    writeProgram(models, 1, `const { default: five } = await import('five'); inputs.N += five;`);
    writeFileSync(path.join(folder, 'tool.sh'), '#!/bin/sh\n');
    chmodSync(path.join(folder, 'tool.sh'), 0o750);
    symlinkSync('tool.sh', path.join(folder, 'link.sh'));
    const service = await startTestService({ modelDirs: [models] });
    const first = await service.latest('Program');
    writeProgram(models, 7);
    await untilVersions(service, 'Program', 2);
    expect((await outputsOf(service, first, { N: 2 })).get('Out')).toBe('7');
    const made = path.join(service.dataDir, 'versions', 'cache');
    const [hash] = readdirSync(made).filter((name) => name !== 'unfinished');
    expect(statSync(path.join(made, hash!, 'models', 'Program', 'tool.sh')).mode & 0o777).toBe(0o750);
  });

  test('use the virtual environment beside the folder of the model', async () => {
    const environment = path.join(models, '.venv');
    mkdirSync(path.join(environment, 'bin'), { recursive: true });
    writeFileSync(path.join(environment, 'pyvenv.cfg'), 'home = /nowhere\n');
    // this Python is Node, so a run works only with the environment
    writeFileSync(path.join(environment, 'bin', 'python'), `#!/bin/sh\nexec ${process.execPath} "$@"\n`, {
      mode: 0o755,
    });
    const write = (factor: number): void => {
      writeCommandModel(models, 'Beside', `say({ outputs: { Out: inputs.N * ${factor} } });`);
      const declaration = path.join(models, 'Beside', 'model.yaml');
      const text = readFileSync(declaration, 'utf8');
      writeFileSync(declaration, text.replace('node sim.mjs', 'python3 sim.mjs'));
    };
    write(3);
    const service = await startTestService({ modelDirs: [models] });
    const first = await service.latest('Beside');
    write(7);
    const [, second] = await untilVersions(service, 'Beside', 2);
    expect((await outputsOf(service, first, { N: 2 })).get('Out')).toBe('6');
    expect((await outputsOf(service, second!.id, { N: 2 })).get('Out')).toBe('14');
  });
});

describe('pruned versions', () => {
  test('take no new runs and keep their results; the service keeps files that other versions need', async () => {
    const service = await startTestService({ modelDirs: [models] });
    for (const [count, factor] of [2, 3, 4].entries()) {
      writeProgram(models, factor);
      await untilVersions(service, 'Program', count + 2);
    }
    const ids = (await versionsOf(service, 'Program')).map(({ id }) => id);
    await outputsOf(service, ids[0]!, { N: 2 });
    const before = contents(service).length;
    const { body } = await prune(service, 'Program', { keep: 2 });
    expect(body).toEqual({ pruned: [1, 2], busy: [], bytes: expect.any(Number) });
    expect(body.bytes).toBeGreaterThan(0);
    // each version has its own program, and all versions share the declaration
    expect(contents(service)).toHaveLength(before - 2);
    const [one, , three] = await versionsOf(service, 'Program');
    expect(one).toMatchObject({ state: 'retired', reason: 'its files were pruned', size: null });
    expect(three).toMatchObject({ state: 'kept' });
    expect((await requestRun(service, ids[0]!, { N: 2 })).body.status).toBe('COMPLETED');
    expect((await requestRun(service, ids[0]!, { N: 3 })).body).toMatchObject({
      status: 409,
      code: 'VERSION_RETIRED',
      message: expect.stringContaining('its files were pruned'),
    });
    expect((await outputsOf(service, ids[2]!, { N: 2 })).get('Out')).toBe('6');
    expect((await service.get(`/versions/${ids[0]}/code`)).body).toMatchObject({ retired: true });

    // pruning always keeps the current version
    const { body: all } = await prune(service, 'Program', {
      before: new Date(Date.now() + 1000).toISOString(),
    });
    expect(all.pruned).toEqual([3]);
    expect((await outputsOf(service, ids[3]!, { N: 2 })).get('Out')).toBe('8');
    // the folder has the files of version 1 again, so version 1 takes new runs
    await service.close();
    writeProgram(models, 1);
    const back = await startTestService({ dataDir: service.dataDir, modelDirs: [models] });
    expect((await outputsOf(back, ids[0]!, { N: 4 })).get('Out')).toBe('4');
    expect((await versionsOf(back, 'Program')).map(({ state }) => state)).toEqual([
      ...['current', 'retired', 'retired', 'kept', 'current'],
    ]);
  });

  test('never include a version with unfinished runs; a user without developer permission may not prune versions', async () => {
    const keys = path.join(temporaryFolder(), 'keys.yaml');
    const user = (name: string) => `  ${name}: {keys: [{sha256: ${hashOf(name)}}]}\n`;
    writeFileSync(
      keys,
      `users:\n${user('ann')}${user('bob')}models:\n  Program: {owner: ann, users: [bob]}\n`,
    );
    const gate = path.join(temporaryFolder(), 'gate');
    writeProgram(
      models,
      1,
      `const { existsSync } = await import('node:fs');
       while (!existsSync(${JSON.stringify(gate)})) await new Promise((resolve) => setTimeout(resolve, 10));`,
    );
    const ann = { Authorization: 'ann' };
    const service = await startTestService({ modelDirs: [models], keyFile: keys, apiKey: undefined });
    const asAnn: TestService = {
      ...service,
      get: (at) => service.get(at, ann),
      post: (at, body, headers) => service.post(at, body, { ...ann, ...headers }),
    };
    const { body: model } = await asAnn.post<{ modelVersions: string[] }>('/models/name/', 'Program');
    const { body: run } = await requestRun(asAnn, model.modelVersions[0]!);
    await reach(asAnn, run, 'RUNNING');
    writeProgram(models, 7);
    await untilVersions(asAnn, 'Program', 2);
    expect((await prune(asAnn, 'Program', { keep: 1 })).body).toEqual({ pruned: [], busy: [1], bytes: 0 });
    writeFileSync(gate, '');
    await reach(asAnn, run, 'COMPLETED');
    const refused = await prune(asAnn, 'Program', { keep: 1 }, { Authorization: 'bob' });
    expect(refused.body).toMatchObject({ status: 403, code: 'NOT_PERMITTED' });
    for (const wrong of [{}, { keep: 0 }, { keep: 1, before: new Date().toISOString() }, { before: 'May' }]) {
      expect((await prune(asAnn, 'Program', wrong)).body).toMatchObject({ code: 'INVALID_BODY' });
    }
    expect((await prune(asAnn, 'Program', { keep: 1 })).body.pruned).toEqual([1]);
  });
});

describe('versions that cannot be kept', () => {
  test('because of files outside the folder are reported, and retired when the model changes', async () => {
    const outside = path.join(models, '..', `${path.basename(models)}-common.mjs`);
    writeFileSync(outside, 'export const one = 1;');
    const name = path.basename(outside);
    writeModel(
      models,
      'reaches',
      `import { one } from '../../${name}';
       export default { name: 'Reaches', description: '', inputs: [], outputs: [{ name: 'Out', type: 'DOUBLE' }],
         run: () => ({ Out: one }) };`,
    );
    const lines: string[] = [];
    const service = await startTestService({ modelDirs: [models], onProblem: (line) => lines.push(line) });
    rmSync(outside);
    expect(lines).toEqual([
      expect.stringContaining(`The model "Reaches" uses ../../${name} from outside its folder`),
    ]);
    const version = await service.latest('Reaches');
    writeModel(
      models,
      'reaches',
      `export default { name: 'Reaches', description: '', inputs: [], outputs: [{ name: 'Out', type: 'DOUBLE' }],
         run: () => ({ Out: 2 }) };`,
    );
    await untilVersions(service, 'Reaches', 2);
    expect((await requestRun(service, version)).body).toMatchObject({
      code: 'VERSION_RETIRED',
      message: expect.stringContaining(`it uses ../../${name}, which is outside its folder`),
    });
  });
});
