import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RunLog } from '../../src/api/extensions.ts';
import type { Run } from '../../src/api/resources.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import { cloudClient } from '../../src/client/index.ts';
import { clientOf, KEY, reach, requestRun, rows, upload, writeModel } from './support.ts';

/** The source of a program that fails in the third of three nested calls. */
const DEEP = `
const inputs = JSON.parse(readFileSync(0, 'utf8'));
console.log('Reading ' + inputs.N);
function outer(n) { return middle(n + 1); }
function middle(n) { return inner(n + 1); }
function inner(n) { throw new RangeError('no such n: ' + n); }
outer(inputs.N);`;

const CHATTY = `
for (let line = 1; line <= 300; line += 1) console.log('line ' + line);
console.log(JSON.stringify({ progress: 0.5 }));
process.stdout.write('10 %\\r');
process.stdout.write('20 %\\r\\n');
console.error('x'.repeat(5000));
console.error('red \\u001b[31m and nul \\u0000');
process.stderr.write('no end of line');
// process.exit would lose what is not written yet
process.exitCode = 3;`;

const FILES = `
import { existsSync, writeFileSync } from 'node:fs';
const { N, Data } = JSON.parse(readFileSync(0, 'utf8'));
console.log('N is ' + N + ', data are ' + readFileSync(Data, 'utf8') + (existsSync('left.txt') ? ' again' : ''));
writeFileSync('left.txt', 'left');
writeFileSync(Data, 'spoilt');
console.log(JSON.stringify({ outputs: { Wrong: 1 } }));`;

function writeCommand(folder: string, name: string, program: string): void {
  mkdirSync(path.join(folder, name));
  const declaration = {
    name,
    description: '',
    command: 'node sim.mjs',
    inputs: [
      { name: 'N', type: 'INTEGER', default: 1 },
      { name: 'Data', type: 'INPUT_FILE', default: '' },
    ],
    outputs: [{ name: 'Out', type: 'DOUBLE' }],
  };
  writeFileSync(path.join(folder, name, 'model.json'), JSON.stringify(declaration));
  writeFileSync(path.join(folder, name, 'sim.mjs'), `import { readFileSync } from 'node:fs';\n${program}`);
}

const MODULE = (name: string, run: string) => `export default {
  name: '${name}', description: '', inputs: [{ name: 'N', type: 'INTEGER', default: 1 }],
  outputs: [{ name: 'Out', type: 'DOUBLE' }], run({ inputs }) { ${run} },
};`;

const root = mkdtempSync(path.join(os.tmpdir(), 'foray-logs-'));
const [models, dataDir, kept] = ['models', 'data', 'kept runs'].map((name) => path.join(root, name)) as [
  string,
  string,
  string,
];
let service: { running: RunningService } & ReturnType<typeof clientOf>;
let logged = '';

async function start(): Promise<void> {
  const log = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  });
  const options = { dataDir, modelDirs: [models], executors: 1, apiKey: KEY, keepFailed: kept };
  const running = await startService({ ...options, log, logLevel: 'error' });
  service = { running, ...clientOf(running.url) };
}

beforeAll(async () => {
  mkdirSync(models);
  writeCommand(models, 'Deep', DEEP);
  writeCommand(models, 'Chatty', CHATTY);
  writeCommand(models, 'Files', FILES);
  writeCommand(models, 'Fine', `console.log('fine'); console.log('{"outputs": {"Out": 1}}');`);
  const throws = `console.log('N ' + inputs.N); deeper(); function deeper() { throw new TypeError('deep down'); }`;
  writeModel(models, 'Throws', MODULE('Throws', throws));
  writeModel(models, 'Exits', MODULE('Exits', `console.error('the last words'); process.exit(7);`));
  await start();
});
afterAll(async () => {
  await service.running.close();
  rmSync(root, { recursive: true, force: true });
});

const logOf = async ({ modelVersionId, id }: Run): Promise<RunLog> =>
  (await service.get<RunLog>(`/versions/${modelVersionId}/runs/${id}/log`)).body;

/** Requests a run that fails. Returns the run and its log. */
async function failed(name: string, inputs = {}): Promise<{ run: Run; log: RunLog }> {
  const { body: run } = await requestRun(service, await service.latest(name), inputs);
  await reach(service, run, 'FAILED');
  return { run, log: await logOf(run) };
}

test('the log of a failed run of a command model has the output and the whole stack, like the log of the service', async () => {
  const { run, log } = await failed('Deep', { N: 5 });
  expect(log.omitted).toBe(0);
  expect(log.lines).toContain('Reading 5');
  const text = log.lines.join('\n');
  expect(text).toMatch(/RangeError: no such n: 7\n.*at inner .*\n.*at middle .*\n.*at outer .*sim\.mjs:5/);
  // the log of the service has the same lines with the id of the run
  const lines = logged.split('\n').filter((line) => line.includes(run.id));
  const messages = lines.map((line) => (JSON.parse(line) as { what: string }).what);
  expect(messages.toSorted()).toEqual(log.lines.toSorted());
});

test('the log has at most 100 lines of limited length, no progress reports, and unchanged characters', async () => {
  const { log } = await failed('Chatty');
  expect(log.lines).toHaveLength(100);
  // the program has 304 lines, because a carriage return begins a line again
  expect(log.omitted).toBe(204);
  expect(log.lines).toEqual(
    expect.arrayContaining([
      'line 300',
      '20 %',
      `${'x'.repeat(2000)}…`,
      'red \u001b[31m and nul \u0000',
      'no end of line',
    ]),
  );
  expect(log.lines.join()).not.toContain('progress');
});

test('the log has the stack of a module that throws, and the last lines of a module that exits', async () => {
  const thrown = (await failed('Throws', { N: 2 })).log.lines;
  expect(thrown.slice(0, 2)).toEqual(['N 2', 'TypeError: deep down']);
  expect(thrown[2]).toMatch(/at deeper .*Throws\/model\.js/);
  expect((await failed('Exits')).log.lines).toEqual(['the last words']);
});

test('a completed run has no log lines, the log of an unknown run is a 404, and logs survive a restart', async () => {
  const { run, log } = await failed('Deep', { N: 6 });
  const { body: fine } = await requestRun(service, await service.latest('Fine'));
  await reach(service, fine, 'COMPLETED');
  expect(await logOf(fine)).toEqual({ lines: [], omitted: 0 });
  const unknown = `/versions/${run.modelVersionId}/runs/${crypto.randomUUID()}/log`;
  expect(await service.get(unknown)).toMatchObject({ status: 404, body: { code: 'UNKNOWN_RUN' } });
  await service.running.close();
  await start();
  expect(await logOf(run)).toEqual(log);
});

test('the service keeps only the newest logs', async () => {
  const { run } = await failed('Deep', { N: 7 });
  const [{ number }] = rows(dataDir, 'SELECT max(number) AS number FROM run_logs') as [{ number: number }];
  await service.running.close();
  const db = new DatabaseSync(path.join(dataDir, 'service.db'));
  // the service keeps 2,000 logs; with this change, the next log is the 2,000th after the log of the run
  db.exec(`UPDATE sqlite_sequence SET seq = ${number + 1_999} WHERE name = 'run_logs'`);
  db.close();
  await start();
  const { log } = await failed('Deep', { N: 8 });
  expect(log.lines).toContain('Reading 8');
  expect((await logOf(run)).lines).toEqual([]);
});

test('the client reads the log of a run, and gets undefined from a service without logs', async () => {
  const { run, log } = await failed('Deep', { N: 9 });
  const cloud = cloudClient({ service: { url: service.running.url, key: KEY } }, 'person');
  expect(await cloud.getRunLog(run.modelVersionId, run.id)).toEqual(log);
  for (const [status, body] of [
    [404, '{}'],
    [405, ''],
    [501, ''],
    [200, '<html>'],
    [200, '{"lines": 3}'],
  ] as const) {
    const other = createServer((_request, answer) => answer.writeHead(status).end(body)).listen(
      0,
      '127.0.0.1',
    );
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/api/open/8.5.0`;
    const elsewhere = cloudClient({ service: { url, key: KEY } }, 'worker');
    expect([status, await elsewhere.getRunLog(run.modelVersionId, run.id)]).toEqual([status, undefined]);
    other.close();
    other.closeAllConnections();
  }
});

test('the service keeps the folder of a failed run, and the command in the log repeats the run', async () => {
  const { body: Data } = await upload(service, 'good');
  const { run, log } = await failed('Files', { N: 4, Data });
  expect(log.command).toBe(`sh '${kept}/${run.id}/command'`);
  const folder = path.join(kept, run.id);
  const read = (...name: string[]) => readFileSync(path.join(folder, ...name), 'utf8');
  expect(JSON.parse(read('inputs.json'))).toEqual({ N: 4, Data: 'input-2' });
  expect([read('inputs', 'input-2'), read('work', 'input-2'), read('work', 'left.txt')]).toEqual([
    'good',
    'spoilt',
    'left',
  ]);
  expect(read('stdout.txt')).toBe('N is 4, data are good\n{"outputs":{"Wrong":1}}\n');
  expect(read('reason.txt')).toContain('an output "Wrong"');
  for (let time = 0; time < 2; time += 1) {
    const again = execFileSync('sh', ['-c', log.command!], { encoding: 'utf8' });
    expect(again).toBe(read('stdout.txt'));
  }
  expect(readdirSync(path.join(dataDir, 'files', 'unfinished'))).toEqual([]);
  // completed runs leave no folder
  const { body: fine } = await requestRun(service, await service.latest('Fine'), { N: 3 });
  await reach(service, fine, 'COMPLETED');
  expect(readdirSync(path.join(kept, '.unfinished'))).toEqual([]);
});

test('the kept folder of a module has its standard error, and "models check" repeats the run', async () => {
  const { run, log } = await failed('Throws', { N: 12 });
  const printed = readFileSync(path.join(kept, run.id, 'stderr.txt'), 'utf8');
  expect(printed).toMatch(/^TypeError: deep down\n +at deeper/);
  const again = spawnSync('sh', ['-c', log.command!], { encoding: 'utf8' });
  expect([again.status, again.stderr]).toEqual([
    2,
    expect.stringMatching(/N 12\nTypeError: deep down\n +at deeper/),
  ]);
  expect(again.stderr).toContain('failed when it was run with N = 12: deep down');
});

test('the service keeps only the newest fifty folders of failed runs, and does not remove other folders', async () => {
  mkdirSync(path.join(kept, 'mine'));
  const old = Array.from({ length: 60 }, () => path.join(kept, crypto.randomUUID()));
  for (const folder of old) {
    mkdirSync(folder);
    const file = path.join(folder, 'reason.txt');
    writeFileSync(file, 'old');
    utimesSync(file, 0, 0);
  }
  const { run } = await failed('Deep', { N: 11 });
  const names = readdirSync(kept);
  expect(names).toEqual(expect.arrayContaining(['mine', run.id]));
  expect(names.filter((name) => name.length === 36)).toHaveLength(50);
});
