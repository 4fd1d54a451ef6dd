import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Outputs, Version } from '../../src/api/resources.ts';
import { readCommandModel, readKeptCommand } from '../../src/service/models/command.ts';
import { isRunning } from '../support/cli.ts';
import { writeCommandModel } from './command-model.ts';
import {
  messageIn,
  outputsOf,
  reach,
  requestRun,
  simulation,
  startTestService,
  temporaryFolder,
  until,
  upload,
} from './support.ts';

const types = ['DOUBLE', 'INTEGER', 'LONG', 'BOOLEAN', 'STRING', 'DATE_TIME', 'DATA_SET', 'OUTPUT_FILE'];

describe('command models', () => {
  test('get inputs as JSON, and return numbers, texts, booleans, dates, data sets and files', async () => {
    const folder = temporaryFolder();
    writeCommandModel(
      folder,
      'Types',
      `writeFileSync('table.csv', 'a,b\\n' + readFileSync(inputs.File, 'utf8'));
       console.log('a line for people');
       say({ progress: 0.5 });
       console.log('{"outputs": {"DOUBLE": Infinity, "integer": ' + inputs.N + ', "text": "-Infinity", "none": NaN, "LONG": ' + /"Large":(\\d+)/.exec(text)[1] +
         ', "BOOLEAN": true, "STRING": "NaN", "DATE_TIME": "2026-11-21T10:00", "DATA_SET": {"dataX": [1, 2], "dataY": [NaN, -Infinity]}, "OUTPUT_FILE": "table.csv"}}');`,
      [...types.map((type) => `${type}: ${type}`), 'Text: DOUBLE', 'None: INTEGER'],
    );
    const service = await startTestService({ modelDirs: [folder] });
    const version = await service.latest('Types');
    const { body: file } = await upload(service, '1,2\n');
    const values = await outputsOf(service, version, { N: 7, File: file });
    expect(Object.fromEntries(values)).toMatchObject({
      DOUBLE: '"Infinity"',
      Text: '"-Infinity"',
      None: 'null',
      INTEGER: '7',
      LONG: '9007199254740993',
      BOOLEAN: 'true',
      STRING: '"NaN"',
      DATE_TIME: '"2026-11-21T10:00:00"',
      DATA_SET: '{"dataX":[1,2],"dataY":[null,"-Infinity"]}',
      OUTPUT_FILE: expect.stringContaining('"localPath":"table.csv"'),
    });
    const { hash } = JSON.parse(values.get('OUTPUT_FILE')!) as { hash: string };
    const stored = path.join(service.dataDir, 'files', hash.slice(0, 2), hash);
    expect(readFileSync(stored, 'utf8')).toBe('a,b\n1,2\n');
    expect(readdirSync(path.join(service.dataDir, 'files', 'unfinished'))).toEqual([]);
  });

  test.each([readCommandModel, readKeptCommand])('%p splits a text at blanks', (read) => {
    const folder = temporaryFolder();
    writeCommandModel(folder, 'Quotes', '');
    const entry = path.join(folder, 'Quotes', 'model.yaml');
    writeFileSync(entry, readFileSync(entry, 'utf8').replace('node sim.mjs', 'julia -e include("sim.jl")'));
    expect(read(entry)).toMatchObject({ command: ['julia', '-e', 'include("sim.jl")'], loop: false });
  });

  test('get a DOUBLE with a point or an exponent, so that no language takes it for an integer', async () => {
    const folder = temporaryFolder();
    writeCommandModel(folder, 'Point', `say({ outputs: { Out: /"N":([^,]*)/.exec(text)[1] } });`, [
      'Out: STRING',
    ]);
    const service = await startTestService({ modelDirs: [folder], executors: 1 });
    const version = await service.latest('Point');
    for (const [N, text] of [
      [7, '7.0'],
      [-3, '-3.0'],
      [0.5, '0.5'],
      [1e21, '1e+21'],
    ] as const)
      expect((await outputsOf(service, version, { N })).get('Out')).toBe(JSON.stringify(text));
  });

  test('get their files again after a run that has removed them', async () => {
    const folder = temporaryFolder();
    writeCommandModel(
      folder,
      'Removes',
      `const { readdirSync, rmSync } = await import('node:fs');
       const own = process.env.FORAY_MODEL_DIR;
       say({ outputs: { Out: readdirSync(own).length } });
       rmSync(own, { recursive: true });`,
    );
    const service = await startTestService({ modelDirs: [folder], executors: 1 });
    const version = await service.latest('Removes');
    for (const N of [1, 2, 3]) expect((await outputsOf(service, version, { N })).get('Out')).toBe('2');
  });

  test('may name one file in several outputs', async () => {
    const folder = temporaryFolder();
    writeCommandModel(
      folder,
      'Same',
      `writeFileSync('out.csv', 'a,b'); say({ outputs: { A: 'out.csv', B: './out.csv' } });`,
      ['A: OUTPUT_FILE', 'B: OUTPUT_FILE'],
    );
    const service = await startTestService({ modelDirs: [folder], executors: 1 });
    const values = await outputsOf(service, await service.latest('Same'));
    expect(values.get('A')).toContain('"localPath":"out.csv"');
    expect(values.get('B')).toBe(values.get('A'));
  });

  const failures: [name: string, program: string, reason: string][] = [
    [
      'Exits',
      `console.error('no such luck'); process.exit(3);`,
      'the command ended with exit code 3: no such luck',
    ],
    ['Throws', `throw new Error('deep down');`, 'the command ended with exit code 1'],
    ['Dies', `process.kill(process.pid, 'SIGKILL');`, 'the command was ended by the signal SIGKILL'],
    ['Silent', ``, 'the command ended without a line {"outputs": {…}} on its standard output'],
    ['Broken', `console.log('{"outputs": {"Out": 1}');`, 'is not JSON'],
    ['Twice', `say({ outputs: { Out: 1 } }); say({ outputs: { Out: 2 } });`, 'it gave its outputs twice'],
    ['List', `say({ outputs: [1] });`, '"outputs" must be an object'],
    [
      'Stranger',
      `say({ outputs: { Out: 1, Ouch: 2 } });`,
      'gave an output "Ouch", which the model does not declare',
    ],
    ['Respelled', `say({ outputs: { Out: 1, OUT: 2 } });`, 'gave the output "Out" twice, once as "OUT"'],
    ['Missing', `say({ outputs: {} });`, 'the output "Out" was not given by the model'],
    ['Mistyped', `say({ outputs: { Out: 'five' } });`, 'the output "Out" was given by the model as string'],
  ];

  test('fail only their run in each kind of failure, and give the reason', async () => {
    const folder = temporaryFolder();
    for (const [name, program] of failures) writeCommandModel(folder, name, program);
    writeCommandModel(folder, 'NoFile', `say({ outputs: { Out: 'gone.csv' } });`, ['Out: OUTPUT_FILE']);
    writeCommandModel(folder, 'Outside', `say({ outputs: { Out: '../../../service.db' } });`, [
      'Out: OUTPUT_FILE',
    ]);
    writeCommandModel(folder, 'NoProgram', '');
    const declaration = path.join(folder, 'NoProgram', 'model.yaml');
    writeFileSync(declaration, readFileSync(declaration, 'utf8').replace('node sim.mjs', 'pyhton3 sim.mjs'));
    const more: [string, string][] = [
      ['NoFile', 'the output "Out" names "gone.csv", which is not a file in the working folder'],
      ['Outside', 'which is not a file in the working folder'],
      ['NoProgram', 'the command "pyhton3" cannot be started: there is no such program'],
    ];
    const service = await startTestService({ modelDirs: [folder], executors: 1 });
    for (const [name, reason] of [
      ...failures.map(([name, , reason]): [string, string] => [name, reason]),
      ...more,
    ]) {
      const { body: run } = await requestRun(service, await service.latest(name));
      const { title } = messageIn(await reach(service, run, 'FAILED'));
      expect([name, title]).toEqual([name, expect.stringContaining(reason)]);
    }
    expect(readdirSync(path.join(service.dataDir, 'files', 'unfinished'))).toEqual([]);
  });

  test('end with all their processes when the run is stopped or the service closes', async () => {
    const [folder, marks] = [temporaryFolder(), temporaryFolder()];
    const pidOf = (name: string) => path.join(marks, name);
    writeCommandModel(
      folder,
      'Lingers',
      `const { spawn } = await import('node:child_process');
       const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
       writeFileSync(${JSON.stringify(marks)} + '/' + inputs.N, process.pid + ' ' + child.pid);
       setInterval(() => {}, 1000);`,
    );
    const service = await startTestService({ modelDirs: [folder], executors: 1 });
    const version = await service.latest('Lingers');
    for (const N of [1, 2]) {
      const { body: run } = await requestRun(service, version, { N });
      await reach(service, run, 'RUNNING');
      const pids = await until(() => {
        const file = pidOf(String(N));
        const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
        return text === '' ? undefined : text.split(' ').map(Number);
      }, 'the start of the program');
      expect(pids.map(isRunning)).toEqual([true, true]);
      if (N === 1) await service.post(`/versions/${version}/runs/stop`, simulation({ N }));
      else await service.close();
      await until(() => (pids.some(isRunning) ? undefined : true), 'the end of its processes');
    }
  });

  test('fail with the reason if they take too much memory', async () => {
    const folder = temporaryFolder();
    // it takes no more than 500 MB, so that a late check does not exhaust the memory of the machine
    writeCommandModel(
      folder,
      'Hungry',
      `const taken = Array.from({ length: 10 }, () => Buffer.alloc(50_000_000, 1)); setInterval(() => taken, 1000);`,
    );
    const declaration = path.join(folder, 'Hungry', 'model.yaml');
    writeFileSync(
      declaration,
      readFileSync(declaration, 'utf8').replace(
        'inputs:\n',
        `inputs:\n  - {name: '{MAX_MEMORY_MB}', type: INTEGER, default: 200}\n`,
      ),
    );
    const service = await startTestService({ modelDirs: [folder], executors: 1 });
    const { body: run } = await requestRun(service, await service.latest('Hungry'));
    expect(messageIn(await reach(service, run, 'FAILED')).title).toContain(
      'it needed more memory than it may take: 200 MB',
    );
  });

  test('refuse a value that they do not allow, and name the input', async () => {
    const folder = temporaryFolder();
    writeCommandModel(folder, 'Choosy', `say({ outputs: { Out: inputs.N } });`);
    const declaration = path.join(folder, 'Choosy', 'model.yaml');
    writeFileSync(
      declaration,
      readFileSync(declaration, 'utf8')
        .replace('type: DOUBLE, default: 0', 'type: DOUBLE, default: 0, min: 0, max: 10')
        .replace("default: '9007199254740993'", 'default: 1, values: [1, 2, 3]'),
    );
    const service = await startTestService({ modelDirs: [folder] });
    const version = await service.latest('Choosy');
    const wrong: Record<string, number>[] = [{ N: -1 }, { N: 10.5 }, { Large: 4 }];
    const refusals = await Promise.all(
      wrong.map(async (inputs) => (await requestRun(service, version, inputs)).body),
    );
    expect(refusals).toMatchObject([
      { status: 400, code: 'INVALID_VALUE', message: 'The value of "N" is -1, but must be at least 0.' },
      { status: 400, message: 'The value of "N" is 10.5, but must be at most 10.' },
      { status: 400, message: 'The value of "Large" is "4", but must be one of 1, 2, 3.' },
    ]);
    const variation = await service.post(`/versions/${version}/runs`, {
      experimentType: 'PARAMETER_VARIATION',
      inputs: [{ name: 'N', type: 'FIXED_RANGE_DOUBLE', value: { min: 9, max: 11, step: 1 } }],
    });
    expect(variation.body).toMatchObject({
      status: 400,
      message: 'The value of "N" is 11, but must be at most 10.',
    });
    expect((await outputsOf(service, version, { N: '10.0' })).get('Out')).toBe('10');
  });
});

describe('while the service runs', () => {
  test('a changed model gets a new version; the old version keeps its runs and still executes runs', async () => {
    const folder = temporaryFolder();
    writeCommandModel(folder, 'Changing', `say({ outputs: { Out: inputs.N * 2 } });`);
    const lines: string[] = [];
    const service = await startTestService({ modelDirs: [folder], onModels: (line) => lines.push(line) });
    const first = await service.latest('Changing');
    expect((await outputsOf(service, first, { N: 2 })).get('Out')).toBe('4');

    writeCommandModel(folder, 'Changing', `say({ outputs: { Out: inputs.N * 3 } });`);
    const second = await until(async () => {
      const latest = await service.latest('Changing');
      return latest === first ? undefined : latest;
    }, 'the new version');
    expect(lines).toEqual(['Changing, version 2']);
    expect((await outputsOf(service, second, { N: 2 })).get('Out')).toBe('6');
    const { body: old } = await requestRun(service, first, { N: 2 });
    const { body: outputs } = await service.post<Outputs>(`/versions/${first}/results/${old.id}`, []);
    expect([old.status, outputs[0]!.value]).toEqual(['COMPLETED', '4']);
    expect((await outputsOf(service, first, { N: 3 })).get('Out')).toBe('6');
  });

  test('a changed model that is not valid keeps its version, and the service gives the reason', async () => {
    const folder = temporaryFolder();
    writeCommandModel(folder, 'Broken', `say({ outputs: { Out: 1 } });`);
    const lines: string[] = [];
    const service = await startTestService({ modelDirs: [folder], onModels: (line) => lines.push(line) });
    const version = await service.latest('Broken');
    const declaration = path.join(folder, 'Broken', 'model.yaml');
    const sound = readFileSync(declaration, 'utf8');
    writeFileSync(declaration, sound.replace('type: DOUBLE', 'type: NUMBER'));
    await until(() => (lines.length > 0 ? true : undefined), 'the message');
    expect(lines[0]).toMatch(/model\.yaml:6:.*"inputs\.N\.type" is wrong/);
    expect((await outputsOf(service, version, { N: 1 })).get('Out')).toBe('1');
    writeFileSync(declaration, sound);
    expect((await outputsOf(service, version, { N: 2 })).get('Out')).toBe('1');
    expect(await service.latest('Broken')).toBe(version);
  });

  test('a model that is added gets a version', async () => {
    const folder = temporaryFolder();
    const service = await startTestService({ modelDirs: [folder] });
    expect((await service.get('/models')).body).toEqual([]);
    writeCommandModel(folder, 'Added', `say({ outputs: { Out: 1 } });`);
    const model = await until(async () => {
      const { body } = await service.get<{ id: string; modelVersions: string[] }[]>('/models');
      return body[0];
    }, 'the model');
    const { body } = await service.get<Version>(`/models/${model.id}/versions/number/1`);
    expect(body.experimentTemplate.inputs.map(({ name }) => name)).toEqual(['N', 'Large', 'File']);
  });
});
