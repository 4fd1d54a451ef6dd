import { readdirSync } from 'node:fs';
import { Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { ownModule } from '../../src/package/own-files.ts';
import { endModelProcess, startModelProcess } from '../../src/service/executors/process.ts';
import { until } from '../support/until.ts';
import {
  messageIn,
  outputsOf,
  reach,
  requestRun,
  simulation,
  startTestService,
  stateOf,
  temporaryFolder,
  writeModel,
} from './support.ts';

describe('executors', () => {
  const model = (name: string, run: string, output = 'DOUBLE') => `
    export default {
      name: '${name}', description: '', inputs: [{ name: 'N', type: 'INTEGER', default: 0 }],
      outputs: [{ name: 'Out', type: '${output}' }], ${run}
    };`;

  test('fail only the run of a model that misbehaves, and give the reason, for each kind of error', async () => {
    const folder = temporaryFolder();
    const cases: [name: string, run: string, reason: string][] = [
      ['Throws', `run() { throw new Error('no such luck'); }`, 'no such luck'],
      ['Writes lines', `run() { throw new Error('a\\r\\nb\\0\\u001b[1mc\\n'); }`, 'a b [1mc'],
      ['Rejects', `async run() { throw 'a bare text'; }`, 'a bare text'],
      ['Exits', `run() { process.exit(3); }`, 'the model crashed: it ended its process'],
      [
        'Is killed',
        `run() { process.kill(process.pid, 'SIGKILL'); }`,
        'the model crashed: it ended its process',
      ],
      [
        'Escapes',
        `run() { return new Promise(() => setTimeout(() => { throw new Error('later'); })); }`,
        'the model crashed: later',
      ],
      ['Returns nothing', `run() {}`, 'the model gave undefined, and not an object with its outputs by name'],
      ['Omits', `run() { return {}; }`, 'the output "Out" was not given by the model'],
      [
        'Mistypes',
        `run() { return { Out: 'five' }; }`,
        'the output "Out" was given by the model as string, which is not of the type DOUBLE',
      ],
    ];
    for (const [name, run] of cases) writeModel(folder, name, model(name, run));
    writeModel(folder, 'Sound', model('Sound', `run({ inputs }) { return { Out: inputs.N }; }`));
    const service = await startTestService({ modelDirs: [folder], executors: 1 });
    for (const [name, , reason] of cases) {
      const { body: run } = await requestRun(service, await service.latest(name));
      const { title } = messageIn(await reach(service, run, 'FAILED'));
      expect([name, title]).toEqual([name, reason]);
    }
    const outputs = await outputsOf(service, await service.latest('Sound'), { N: 4 });
    expect(outputs.get('Out')).toBe('4');
  });

  test('make a run fail if it leaves a rejected promise', async () => {
    const folder = temporaryFolder();
    const run = `run() { (async () => { await null; throw new Error('nobody awaits'); })(); return { Out: 1 }; }`;
    writeModel(folder, 'Forgets', model('Forgets', run));
    const service = await startTestService({ modelDirs: [folder], executors: 1 });
    const { body } = await requestRun(service, await service.latest('Forgets'));
    expect(messageIn(await reach(service, body, 'FAILED')).title).toBe('the model crashed: nobody awaits');
  });

  test('execute a run again if an earlier run of the process fails late, and log the late error with its run', async () => {
    const folder = temporaryFolder();
    // the error comes while the next run of the process executes
    const late = `run() {
      globalThis.isShared = true;
      const timer = setInterval(() => {
        if (!globalThis.hasNext) return;
        clearInterval(timer);
        throw new Error('too late');
      }, 1);
      return { Out: process.pid };
    }`;
    writeModel(folder, 'Late', model('Late', late));
    const sound = `async run() {
      globalThis.hasNext = true;
      if (globalThis.isShared) await new Promise(() => {});
      return { Out: process.pid };
    }`;
    writeModel(folder, 'Sound', model('Sound', sound));
    let logged = '';
    const log = new Writable({
      write(chunk: Buffer, _encoding, done) {
        logged += chunk.toString();
        done();
      },
    });
    const service = await startTestService({ modelDirs: [folder], executors: 1, log });
    const { body: first } = await requestRun(service, await service.latest('Late'));
    await reach(service, first, 'COMPLETED');
    await outputsOf(service, await service.latest('Sound'));
    const line = logged.split('\n').find((each) => each.includes('Error: too late'));
    expect(line).toContain(`"run":"${first.id}"`);
  });

  test('execute a run again in a new process if an earlier run of its process has left too little memory', async () => {
    const folder = temporaryFolder();
    const limited = (name: string, run: string) =>
      model(name, run).replace(
        'inputs: [',
        `inputs: [{ name: '{MAX_MEMORY_MB}', type: 'INTEGER', default: 100 }, `,
      );
    const table = 'Array.from({ length: 8e6 }, (_, index) => index + 0.5)';
    writeModel(folder, 'Keeps', limited('Keeps', `run() { globalThis.kept = ${table}; return { Out: 1 }; }`));
    writeModel(
      folder,
      'Needs',
      limited('Needs', `run() { const table = ${table}; return { Out: table[1] }; }`),
    );
    const service = await startTestService({ modelDirs: [folder], executors: 1 });
    for (const name of ['Keeps', 'Needs']) await outputsOf(service, await service.latest(name));
  });

  test('can at once stop a run that never ends, and then execute the next run', async () => {
    const folder = temporaryFolder();
    writeModel(folder, 'Spins', model('Spins', `run() { for (;;); }`));
    const service = await startTestService({ modelDirs: [folder], executors: 1 });
    const version = await service.latest('Spins');
    for (const N of [1, 2, 3]) {
      const { body: run } = await requestRun(service, version, { N });
      await reach(service, run, 'RUNNING');
      await service.post(`/versions/${version}/runs/stop`, simulation({ N }));
      expect((await stateOf(service, run)).status).toBe('STOPPED');
    }
  });

  test('give the client output values as JSON text', async () => {
    const folder = temporaryFolder();
    const texts = {
      STRING: `'a "b"'`,
      LONG: '2n ** 62n',
      BOOLEAN: 'true',
      DOUBLE: '-Infinity',
      INTEGER: 'null',
    };
    for (const [type, value] of Object.entries(texts)) {
      writeModel(folder, type, model(type, `run() { return { Out: ${value} }; }`, type));
    }
    const service = await startTestService({ modelDirs: [folder] });
    const values = await Promise.all(
      Object.keys(texts).map(async (type) =>
        (await outputsOf(service, await service.latest(type))).get('Out'),
      ),
    );
    expect(values).toEqual(['"a \\"b\\""', '4611686018427387904', 'true', '"-Infinity"', 'null']);
  });

  test('hide the environment variables of foray from models', async () => {
    const folder = temporaryFolder();
    const run = `run() { return { Out: Object.keys(process.env).filter((name) => name.startsWith('FORAY_')).join() }; }`;
    writeModel(folder, 'Looks', model('Looks', run, 'STRING'));
    process.env['FORAY_CANARY'] = 'x';
    try {
      const service = await startTestService({ modelDirs: [folder] });
      expect((await outputsOf(service, await service.latest('Looks'))).get('Out')).toBe('"FORAY_EXECUTOR"');
    } finally {
      delete process.env['FORAY_CANARY'];
    }
  });
});

test('an executor writes its compiled code to the cache of Node before it ends, so that a kill does not lose the code', async () => {
  const cache = temporaryFolder();
  const before = process.env.NODE_COMPILE_CACHE;
  process.env.NODE_COMPILE_CACHE = cache;
  const executor = startModelProcess(
    ownModule('src/service/executors/executor'),
    { filesDir: temporaryFolder(), memory: 500, onLine: () => undefined },
    () => undefined,
  );
  try {
    // the watchdog of the executor alone writes fewer files
    await until('the cache is written', () => readdirSync(cache, { recursive: true }).length > 20);
  } finally {
    await endModelProcess(executor);
    if (before === undefined) delete process.env.NODE_COMPILE_CACHE;
    else process.env.NODE_COMPILE_CACHE = before;
  }
});
