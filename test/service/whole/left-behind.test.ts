import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { MARK } from '../../../src/service/environment.ts';
import { writeCommandModel } from '../command-model.ts';
import {
  messageIn,
  outputsOf,
  reach,
  requestRun,
  simulation,
  startTestService,
  stateOf,
  temporaryFolder,
  type TestService,
  until,
} from '../support.ts';

/** The number of runs of the model that leaves everything behind. FORAY_RUNS gives another number. */
const RUNS = Number(process.env['FORAY_RUNS'] ?? 6);
/** The time for which the processes of a model sleep. Nobody else sleeps for so long. */
const SLEEP = String(600_000 + process.pid);

/** The processes that sleep for this time. */
function sleepers(): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => commandOf(pid).includes(SLEEP));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

const filesIn = (service: TestService, folder: string): string[] => {
  const place = path.join(service.dataDir, 'files', folder);
  return existsSync(place) ? (readdirSync(place, { recursive: true }) as string[]) : [];
};

/** Starts processes in all ways in which they can leave their parent. */
const LEAVES_PROCESSES = `
  const { spawn } = await import('node:child_process');
  const sleep = (options) => spawn('sleep', ['${SLEEP}'], { stdio: ['ignore', 'inherit', 'inherit'], ...options }).unref();
  sleep({});
  sleep({ detached: true });
  spawn('sh', ['-c', 'sleep ${SLEEP} & sleep ${SLEEP} & exit'], { stdio: 'ignore', detached: true }).unref();
  spawn('env', ['-i', 'setsid', 'sh', '-c', 'sleep ${SLEEP} & exit'], { stdio: 'ignore' }).unref();`;

/** Writes files in its own folder, in the working folder and in the folder for temporary files. */
const LEAVES_FILES = `
  const { appendFileSync, existsSync, mkdirSync } = await import('node:fs');
  const { default: os } = await import('node:os');
  const own = process.env.FORAY_MODEL_DIR;
  const isFirst = !existsSync(own + '/cache/table.txt') && readFileSync(own + '/data.txt', 'utf8') === 'data';
  mkdirSync(own + '/cache', { recursive: true });
  writeFileSync(own + '/cache/table.txt', 'table');
  appendFileSync(own + '/data.txt', ' changed');
  writeFileSync(os.tmpdir() + '/temporary.txt', os.tmpdir());
  const isWithin = os.tmpdir().startsWith(process.cwd() + '/');`;

const writesAll = (folder: string, lines: number): void => {
  writeCommandModel(
    folder,
    'Everything',
    `${LEAVES_FILES} ${LEAVES_PROCESSES}
     if (BigInt(inputs['{RANDOM_SEED}']) > 2147483647n) throw new Error('a seed of more than 31 bits');
     for (let line = 0; line < ${lines}; line += 1) process.stdout.write('line ' + line + '\\n');
     process.stdout.write('Simulator 3.1 [####] ' + JSON.stringify({ outputs: { Out: inputs.N, First: isFirst, Within: isWithin } }) + '\\n');`,
    ['Out: DOUBLE', 'First: BOOLEAN', 'Within: BOOLEAN'],
  );
  writeFileSync(path.join(folder, 'Everything', 'data.txt'), 'data');
  const entry = path.join(folder, 'Everything', 'model.yaml');
  const seed = `inputs:\n  - {name: '{RANDOM_SEED}', type: LONG, default: 1, min: 0, max: 2147483647}\n`;
  writeFileSync(entry, readFileSync(entry, 'utf8').replace('inputs:\n', seed));
};

test(
  'nothing is left of runs that write beside their model, print much, and leave processes and files',
  async () => {
    const folder = temporaryFolder();
    writesAll(folder, Number(process.env['FORAY_LINES'] ?? 100_000));
    const before = readdirSync(path.join(folder, 'Everything')).toSorted();
    const service = await startTestService({ modelDirs: [folder], executors: 2 });
    const version = await service.latest('Everything');
    const all = Array.from({ length: RUNS }, (_, N) => N);
    // one after the other, so that the runs execute and end in this order
    const requested = [];
    for (const N of all) requested.push((await requestRun(service, version, { N })).body);
    for (const [N, run] of requested.entries()) {
      const state = await until(async () => {
        const now = await stateOf(service, run);
        return ['FRESH', 'RUNNING'].includes(now.status) ? undefined : now;
      }, `the end of run ${N}`);
      expect([state.status, messageIn(state).title]).toEqual(['COMPLETED', null]);
    }
    for (const N of all) {
      const values = await outputsOf(service, version, { N });
      expect(Object.fromEntries(values)).toEqual({ Out: String(N), First: 'true', Within: 'true' });
    }
    expect(sleepers()).toEqual([]);
    expect(filesIn(service, 'unfinished')).toEqual([]);
    expect(filesIn(service, 'executors').filter((name) => /temporary|cache/.test(name))).toEqual([]);
    expect(readdirSync(path.join(folder, 'Everything')).toSorted()).toEqual(before);
    expect(await service.latest('Everything')).toBe(version);
    await service.close();
    expect(filesIn(service, 'executors')).toEqual([]);
    expect(process.env[MARK]).toBeUndefined();
  },
  RUNS * 20_000,
);

test.each(['stopped', 'timed out'])(
  'a run that is %s gets SIGTERM and can end by itself, and leaves nothing',
  async (how) => {
    const [folder, marks] = [temporaryFolder(), temporaryFolder()];
    writeCommandModel(
      folder,
      'Long',
      `${LEAVES_FILES} ${LEAVES_PROCESSES}
       process.on('SIGTERM', () => { writeFileSync('${marks}/term', ''); process.exit(1); });
       writeFileSync('${marks}/here', '');
       setInterval(() => {}, 1000);`,
    );
    writeFileSync(path.join(folder, 'Long', 'data.txt'), 'data');
    const service = await startTestService({
      modelDirs: [folder],
      executors: 1,
      ...(how === 'timed out' && { runTimeout: 3 }),
    });
    const version = await service.latest('Long');
    const { body: run } = await requestRun(service, version);
    await until(() => existsSync(`${marks}/here`) || undefined, 'the program runs');
    if (how === 'stopped')
      await service.post(`/versions/${version}/runs/stop`, { experimentType: 'SIMULATION', inputs: [] });
    const state = await reach(service, run, how === 'stopped' ? 'STOPPED' : 'FAILED');
    if (how === 'timed out') expect(messageIn(state).title).toContain('longer than the time limit');
    await until(() => existsSync(`${marks}/term`) || undefined, 'the program gets SIGTERM');
    await until(() => sleepers().length === 0 || undefined, 'no process to be left');
    await until(
      () => filesIn(service, 'unfinished').length + filesIn(service, 'executors').length === 0 || undefined,
      'no file to be left',
    );
  },
);

test('a run that is requested again while the program of its stopped attempt ends keeps its own folder', async () => {
  const [folder, marks] = [temporaryFolder(), temporaryFolder()];
  writeCommandModel(
    folder,
    'Again',
    `const { existsSync, mkdirSync, readdirSync } = await import('node:fs');
     const isFirst = readdirSync('${marks}').length === 0;
     mkdirSync('${marks}/' + process.pid);
     process.on('SIGTERM', () => {});
     if (isFirst) setInterval(() => {}, 1000);
     else {
       await new Promise((done) => setTimeout(done, 3000));
       writeFileSync('mine.txt', '');
       say({ outputs: { Out: readdirSync('${marks}').length } });
     }`,
  );
  const service = await startTestService({ modelDirs: [folder], executors: 2 });
  const version = await service.latest('Again');
  const { body: run } = await requestRun(service, version);
  await until(() => readdirSync(marks).length === 1 || undefined, 'the program runs');
  await service.post(`/versions/${version}/runs/stop`, simulation({}));
  await reach(service, run, 'STOPPED');
  expect((await outputsOf(service, version)).get('Out')).toBe('2');
});

test('a line of 200 MB is dropped, and the memory that it takes is not that of the model', async () => {
  const folder = temporaryFolder();
  writeCommandModel(
    folder,
    'Wide',
    `const part = 'x'.repeat(2 ** 20);
     const print = (text) => new Promise((done) => process.stdout.write(text, done));
     for (let at = 0; at < 200; at += 1) await print(part);
     await print('\\n');
     say({ outputs: { Out: 1 } });`,
  );
  const entry = path.join(folder, 'Wide', 'model.yaml');
  const limit = `inputs:\n  - {name: '{MAX_MEMORY_MB}', type: INTEGER, default: 200}\n`;
  writeFileSync(entry, readFileSync(entry, 'utf8').replace('inputs:\n', limit));
  const service = await startTestService({ modelDirs: [folder], executors: 1 });
  expect((await outputsOf(service, await service.latest('Wide'))).get('Out')).toBe('1');
});
