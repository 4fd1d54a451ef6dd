import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { RunLog, VersionCode } from '../../src/api/extensions.ts';
import { isRunning } from '../support/cli.ts';
import { writeCommandModel, writeLoopModel } from './command-model.ts';
import {
  messageIn,
  outputsOf,
  reach,
  requestRun,
  startTestService,
  temporaryFolder,
  type TestService,
  until,
  upload,
  writeModel,
} from './support.ts';

async function serveLoop(
  model: Parameters<typeof writeLoopModel>[2],
  options: Parameters<typeof startTestService>[0] = {},
): Promise<{ service: TestService; version: string; folder: string }> {
  const folder = temporaryFolder();
  writeLoopModel(folder, 'Loop', model);
  const service = await startTestService({ modelDirs: [folder], executors: 1, ...options });
  return { service, version: await service.latest('Loop'), folder };
}

async function reasonOf(service: TestService, version: string, N: number): Promise<string> {
  const { body: run } = await requestRun(service, version, { N });
  return messageIn(await reach(service, run, 'FAILED')).title ?? '';
}

const outOf = async (service: TestService, version: string, N: number): Promise<string> =>
  (await outputsOf(service, version, { N })).get('Out')!;

describe('a program that stays loaded', () => {
  test('executes its runs in one process, each in a clean working folder', async () => {
    const { service, version } = await serveLoop({
      type: 'STRING',
      body: `say({ run, progress: 0.5 });
        const found = readdirSync('.').filter((name) => name !== '.tmp');
        writeFileSync('left.txt', '');
        writeFileSync(process.env.TMPDIR + '/left.txt', '');
        answer([process.pid, runs, found.length, readdirSync(process.env.TMPDIR).length].join(' '));`,
    });
    const found = [];
    for (const N of [1, 2, 3]) found.push(JSON.parse(await outOf(service, version, N)) as string);
    const [pid] = found[0]!.split(' ');
    expect(found).toEqual([1, 2, 3].map((runs) => `${pid} ${runs} 0 1`));
    await service.close();
    expect(isRunning(Number(pid))).toBe(false);
  });

  test('keeps all digits of a LONG, takes special numbers, and text before an answer', async () => {
    const { service, version } = await serveLoop({
      type: 'LONG',
      body: `process.stdout.write('no end of line');
        console.log('{"run":' + run + ',"outputs":{"out":' + /"Large":(\\d+)/.exec(line)[1] + '}}');`,
    });
    expect(await outOf(service, version, 1)).toBe('9007199254740993');
    const special = await serveLoop({
      body: `console.log('{"run":' + run + ',"outputs":{"Out":' + (inputs.N === 1 ? 'NaN' : '-Infinity') + '}}');`,
    });
    expect(await outOf(special.service, special.version, 1)).toBe('null');
    expect(await outOf(special.service, special.version, 2)).toBe('"-Infinity"');
  });

  const faults: [what: string, body: string, reason: string][] = [
    ['an error', `say({ run, error: 'no such luck' });`, 'no such luck'],
    ['an exit', `console.error('Error: out of luck'); process.exit(3);`, 'exit code 3: Error: out of luck'],
    ['a good exit', `process.exit(0);`, 'the command ended before it gave its outputs'],
    ['a crash', `process.kill(process.pid, 'SIGSEGV');`, 'ended by the signal SIGSEGV'],
    ['no JSON', `console.log('{"run": ' + run + ', "outputs": {"Out": 1}');`, 'is not JSON'],
    ['another number', `say({ run: run + 1, outputs: { Out: 1 } });`, 'but run'],
    ['no number', `say({ outputs: { Out: 1 } });`, 'has no number "run"'],
    ['neither', `say({ run });`, 'neither an object "outputs" nor a text "error"'],
    ['an unknown output', `say({ run, outputs: { Ouch: 1 } });`, 'an output "Ouch"'],
    ['a missing output', `say({ run, outputs: {} });`, 'the output "Out" was not given'],
    ['a wrong type', `answer('five');`, 'given by the model as string'],
    ['a rejection', `throw new RangeError('deep down');`, 'exit code 1: RangeError: deep down'],
  ];

  test('loses only the run that misbehaves, and gives its reason', async () => {
    const cases = faults.map(([, body], at) => `if (inputs.N === ${at + 1}) { ${body} continue; }`);
    const { service, version, folder } = await serveLoop({
      body: `${cases.join('\n')} answer(inputs.N);`,
    });
    for (const [at, [what, , reason]] of faults.entries()) {
      // the run before makes the process a used one
      expect(await outOf(service, version, 100 + at)).toBe(String(100 + at));
      expect([what, await reasonOf(service, version, at + 1)]).toEqual([
        what,
        expect.stringContaining(reason),
      ]);
    }
    expect(await outOf(service, version, 200)).toBe('200');
    expect(existsSync(folder)).toBe(true);
    expect(readdirSync(path.join(service.dataDir, 'files', 'unfinished'))).toEqual([]);
  });

  test('ends when it answers twice, and the next run has its own outputs', async () => {
    const { service, version } = await serveLoop({
      body: `answer(inputs.N); if (inputs.N === 1) answer(inputs.N);`,
    });
    for (const N of [1, 2, 3]) expect(await outOf(service, version, N)).toBe(String(N));
  });

  test('has the lines of each run in the log of this run', async () => {
    const { service, version } = await serveLoop({
      body: `console.log('printed in ' + inputs.N); console.error('complained in ' + inputs.N);
        process.stderr.write('no end'); say({ run, error: 'on purpose' });`,
    });
    for (const N of [1, 2]) {
      const { body: run } = await requestRun(service, version, { N });
      await reach(service, run, 'FAILED');
      const { body: log } = await service.get<RunLog>(`/versions/${version}/runs/${run.id}/log`);
      const lines = log.lines.filter((line) => / in |no end/.test(line) && !line.startsWith('foray'));
      // the second run executes a second time, in a new process
      const once = [`printed in ${N}`, `complained in ${N}`, 'no end'];
      expect(new Set(lines)).toEqual(new Set(once));
    }
  });

  test('loses no run when its process is killed, with earlier runs or without', async () => {
    const marks = temporaryFolder();
    const { service, version } = await serveLoop({
      body: `const mark = ${JSON.stringify(marks)} + '/' + inputs.N;
        if (existsSync(mark)) { answer(inputs.N); continue; }
        writeFileSync(mark + '.part', String(process.pid));
        (await import('node:fs')).renameSync(mark + '.part', mark);
        await new Promise(() => setInterval(() => {}, 1000));`,
    });
    for (const N of [1, 2]) {
      const mark = path.join(marks, String(N));
      const { body: run } = await requestRun(service, version, { N });
      const pid = await until(
        () => (existsSync(mark) ? Number(readFileSync(mark, 'utf8')) : undefined),
        'the run',
      );
      process.kill(pid, 'SIGKILL');
      await reach(service, run, 'COMPLETED');
    }
  });

  test('ends before a run of another model: its end would end processes of that run, and its memory would count as its', async () => {
    const { service, version, folder } = await serveLoop({
      type: 'STRING',
      body: 'answer(String(process.pid));',
    });
    // a process that has ended may still be in the list of the system
    const isThere = `let found = 0; try {
      const state = process.getBuiltinModule('node:fs').readFileSync('/proc/' + inputs.N + '/stat', 'utf8');
      if (!state.includes(') Z ')) found = 1;
    } catch {}`;
    writeCommandModel(folder, 'Command', `${isThere} say({ outputs: { Out: found } });`);
    writeModel(
      folder,
      'module',
      `import { defineModel } from 'foray/model';
       export default defineModel({
         name: 'Module', description: '', inputs: [{ name: 'N', type: 'DOUBLE', default: 0 }],
         outputs: [{ name: 'Out', type: 'DOUBLE' }],
         run({ inputs }) { ${isThere} return { Out: found }; },
       });`,
    );
    for (const name of ['Command', 'Module']) {
      const pid = Number(JSON.parse(await outOf(service, version, name.length)));
      const other = await until(() => service.latest(name).catch(() => undefined), name);
      expect(await outOf(service, other, pid)).toBe('0');
    }
  });

  test('cannot be loaded: each run gives the reason', async () => {
    const { service, version } = await serveLoop({
      before: `throw new Error('no such package');`,
      body: '',
    });
    const reason = 'the model cannot be loaded: the command ended with exit code 1: Error: no such package';
    expect(await reasonOf(service, version, 1)).toBe(reason);
    expect(await reasonOf(service, version, 2)).toBe(reason);
  });

  test('has its time limit from the moment when it is loaded', async () => {
    const { service, version } = await serveLoop(
      {
        before: `await new Promise((resolve) => setTimeout(resolve, 6_000));`,
        // a run that waits costs no CPU time, and does not end either
        body: `if (inputs.N === 2) await new Promise(() => setInterval(() => {}, 1_000)); answer(inputs.N);`,
      },
      { runTimeout: 4 },
    );
    expect(await outOf(service, version, 1)).toBe('1');
    expect(await reasonOf(service, version, 2)).toContain('longer than the time limit of the service: 4 s');
    expect(await outOf(service, version, 3)).toBe('3');
  });

  test('has no process left of an earlier run, and keeps those that it starts while it loads', async () => {
    const { service, version } = await serveLoop({
      type: 'STRING',
      before: `const helper = spawn('sleep', ['611']);`,
      body: `const child = inputs.N === 1 ? spawn('sleep', ['612'], { detached: true }) : undefined;
        answer([process.pid, helper.pid, child?.pid].join(' '));`,
    });
    const pids = async (N: number) =>
      (JSON.parse(await outOf(service, version, N)) as string).split(' ').map(Number);
    const [program, helper, child] = (await pids(1)) as [number, number, number];
    expect([program, helper, child].map(isRunning)).toEqual([false, false, false]);
    const [next, kept] = (await pids(2)) as [number, number];
    expect(await pids(3)).toEqual([next, kept, 0]);
    expect([next, kept].map(isRunning)).toEqual([true, true]);
  });

  test('is compared with the next process; if outputs differ, each run gets a process of its own', async () => {
    const lines: string[] = [];
    const { service, version, folder } = await serveLoop(
      { body: `answer(runs, runs === 3 ? { last: 'for the test' } : {});` },
      { onProblem: (line) => lines.push(line) },
    );
    for (const [N, out] of [
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 1],
      [5, 1],
    ])
      expect([N, await outOf(service, version, N!)]).toEqual([N, String(out)]);
    const leak = async (of: TestService): Promise<string | undefined> =>
      (await of.get<VersionCode>(`/versions/${version}/code`)).body.leak;
    const said = await until(() => leak(service), 'the leak');
    expect(said).toContain('"Out" was 3 after other runs of its process, and 1 in a new process');
    expect(lines).toEqual([expect.stringContaining(said)]);
    // it is a property of the version, so a new service knows it
    await service.close();
    const again = await startTestService({ modelDirs: [folder], executors: 1, dataDir: service.dataDir });
    expect(await leak(again)).toBe(said);
    for (const N of [6, 7]) expect(await outOf(again, version, N)).toBe('1');
  });

  test('is compared with the next process also if it has given way to another model', async () => {
    const { service, version, folder } = await serveLoop({ body: `answer(runs);` });
    writeLoopModel(folder, 'Other', { body: `answer(7);` });
    const other = await until(async () => {
      const { body } = await service.post<{ modelVersions?: string[] }>('/models/name/', 'Other');
      return body.modelVersions?.at(-1);
    }, 'the other model');
    for (let N = 1; N <= 20; N += 1) expect(await outOf(service, version, N)).toBe(String(N));
    expect(await outOf(service, other, 1)).toBe('7');
    expect(await outOf(service, version, 21)).toBe('1');
    const leak = async () => (await service.get<VersionCode>(`/versions/${version}/code`)).body.leak;
    expect(await until(async () => (await leak()) ?? undefined, 'the leak')).toContain(
      '"Out" was 20 after other runs of its process, and 1 in a new process',
    );
  });

  test('is not suspected if an input file of its last run is not there any more', async () => {
    const lines: string[] = [];
    const { service, version } = await serveLoop(
      { body: `answer(inputs.N, runs === 2 ? { last: 'for the test' } : {});` },
      { onProblem: (line) => lines.push(line) },
    );
    const { body: hash } = await upload(service, 'a table');
    expect(await outOf(service, version, 1)).toBe('1');
    expect((await outputsOf(service, version, { N: 2, File: hash })).get('Out')).toBe('2');
    const stored = globSync(`files/**/${hash}`, { cwd: service.dataDir });
    expect(stored).toHaveLength(1);
    rmSync(path.join(service.dataDir, stored[0]!));
    expect(await outOf(service, version, 3)).toBe('3');
    expect(lines).toEqual([]);
  });

  test('without a leak, a new process follows and nothing is said', async () => {
    const lines: string[] = [];
    const { service, version } = await serveLoop(
      { body: `answer(inputs.N, runs === 3 ? { last: 'for the test' } : {});` },
      { onProblem: (line) => lines.push(line) },
    );
    for (const N of [1, 2, 3, 4, 5, 6]) expect(await outOf(service, version, N)).toBe(String(N));
    expect(lines).toEqual([]);
  });

  test('runs the new version after a change of its files, and the old one still', async () => {
    const { service, version, folder } = await serveLoop({ body: `answer(inputs.N * 2);` });
    expect(await outOf(service, version, 2)).toBe('4');
    const program = path.join(folder, 'Loop', 'sim.mjs');
    writeFileSync(program, readFileSync(program, 'utf8').replace('inputs.N * 2', 'inputs.N * 3'));
    const second = await until(async () => {
      const latest = await service.latest('Loop');
      return latest === version ? undefined : latest;
    }, 'the new version');
    expect(await outOf(service, second, 2)).toBe('6');
    expect(await outOf(service, version, 3)).toBe('6');
    expect(await outOf(service, second, 4)).toBe('12');
  });

  test('gets new files of its model if a run has changed them', async () => {
    const { service, version } = await serveLoop({
      type: 'STRING',
      before: `const { FORAY_MODEL_DIR: own } = process.env;`,
      body: `const found = readdirSync(own).sort().join(',');
        writeFileSync(own + '/extra.txt', ''); if (inputs.N === 2) writeFileSync(own + '/model.yaml', 'spoilt');
        answer(process.pid + ' ' + found + ' ' + readFileSync(own + '/model.yaml', 'utf8').length);`,
    });
    const found = [];
    for (const N of [1, 2, 3]) found.push(JSON.parse(await outOf(service, version, N)) as string);
    expect(found.map((text) => text.split(' ')[1])).toEqual(Array(3).fill('model.yaml,sim.mjs'));
  });
});
