import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fileIn } from '../../src/api/index.ts';
import { addKey } from '../../src/keys/edit.ts';
import { rows, writeModel } from '../service/support.ts';
import { printedResults, toTheEnd } from '../support/campaigns.ts';
import { report } from '../support/seeds.ts';
import { until } from '../support/until.ts';
import { KEY, startWorld, type World } from '../support/world.ts';
import { executorsOf, folderOfFile, HEARTBEAT } from '../fleet/fleet.ts';
import { replicas } from '../fleet/service-group.ts';

/**
 * Runs the same campaign with a single service, and with two replicas, PostgreSQL, a bucket and executors on other
 * machines.
 */

const RUNS = 24;
const TEXT = 'a file of the campaign';

let models: string;
/** A file. The runs of the second half of the campaign wait until it exists, so that they end after the kills. */
let gate: string;
let embedded: World;
const worlds: World[] = [];

beforeAll(async () => {
  models = folderOfFile();
  gate = path.join(folderOfFile(), 'gate');
  writeModel(
    models,
    'Files',
    `import { existsSync } from 'node:fs';
     import { setTimeout as pause } from 'node:timers/promises';
     export default {
       name: 'Files', description: '',
       inputs: [
         { name: 'N', type: 'INTEGER', default: 0 },
         { name: 'File', type: 'INPUT_FILE', default: '' },
         { name: 'Seconds', type: 'DOUBLE', default: 0 },
       ],
       outputs: [{ name: 'Size', type: 'DOUBLE' }, { name: 'Text', type: 'OUTPUT_FILE' }],
       async run({ inputs, readFile, writeFile }) {
         await pause(100 + 1_000 * inputs.Seconds);
         while (inputs.N > ${RUNS / 2} && !existsSync(${JSON.stringify(gate)})) await pause(20);
         const content = new TextDecoder().decode(readFile('File'));
         return { Size: inputs.N + content.length, Text: writeFile('n.txt', inputs.N + ' of ' + content) };
       },
     };`,
  );
  embedded = await startWorld({ models: [models] });
  worlds.push(embedded);
  await embedded.startWorker();
});
afterAll(async () => {
  for (const world of worlds.toReversed()) await world.close();
});

test('a campaign with input files gives the same bytes with replicas and executors, even if a replica and an executor are killed; an executor keeps a long run, although it communicates with only one replica', async () => {
  const dataDir = folderOfFile();
  const key = await addKey(path.join(dataDir, 'keys.yaml'), 'node', 'executor');
  const { address } = embedded.environment;
  const group = await replicas({
    dataDir,
    modelDirs: [models],
    address,
    heartbeat: HEARTBEAT,
    apiKey: KEY,
  });
  const shared = await startWorld({
    beside: embedded,
    through: () => Promise.resolve({ url: group.url, close: () => Promise.resolve() }),
  });
  worlds.push(shared);
  await shared.startWorker();
  const spawnExecutor = executorsOf({ url: group.url, address, key });
  const [first, second] = ['one', 'two'].map((name) => spawnExecutor(name, { flags: ['--slots', '4'] }));

  for (const [world, id] of [
    [embedded, 'alone'],
    [shared, 'shared'],
  ] as const) {
    writeFileSync(path.join(world.folder, 'input.txt'), TEXT);
    const text = `
campaign: files
model: {name: Files}
files: {File: input.txt}
design: {grid: {N: {from: 1, to: ${RUNS}, step: 1}}}
concurrency: 40
outputs: {names: [Size, Text], files: keep}
`;
    await world.foray.submit({ text, file: path.join(world.folder, 'files.yaml') }, { id });
  }
  const counted = async (what: string): Promise<number> =>
    Number((await group.query(`SELECT count(*) AS n FROM ${what}`))[0]!['n']);
  await until('some runs have ended', async () => (await counted('results')) > RUNS / 6);
  await Promise.all([group.killService(0), first!.kill()]);
  expect(await counted('results')).toBeLessThan(RUNS);
  writeFileSync(gate, '');

  for (const [world, id] of [
    [embedded, 'alone'],
    [shared, 'shared'],
  ] as const) {
    const { phase, runs } = await toTheEnd(world, id);
    expect([phase, runs.done, runs.failed]).toEqual(['completed', RUNS, 0]);
  }
  const csv = ['--format', 'csv'];
  expect(await printedResults(shared, 'shared', csv)).toBe(await printedResults(embedded, 'alone', csv));
  for (const { outputs } of await shared.rows('shared')) {
    const text = `${Number(outputs['Size']) - TEXT.length} of ${TEXT}`;
    const { hash } = fileIn(outputs['Text'])!;
    expect(new TextDecoder().decode(await shared.foray['store'].getFile(hash))).toBe(text);
    expect(group.contentOf(hash)).toBe(text);
  }
  const [executions] = await group.query('SELECT sum(executions) AS n FROM runs');
  expect([await counted('runs'), await counted('results')]).toEqual([RUNS, RUNS]);
  report(
    `a replica and an executor killed: ${RUNS} runs, one result each, ${String(executions!['n'])} executions`,
  );
  // the replicas executed all runs, and the service of the shared world executed none
  expect(rows(path.join(shared.folder, 'service'), 'SELECT id FROM runs')).toEqual([]);

  // the run is much longer than Temporal waits for a heartbeat
  second!.child.kill('SIGTERM');
  await second!.exit;
  executorsOf({ url: group.urls[0]!, address, key })('three', { flags: ['--slots', '1'] });
  const text = `
campaign: long
model: {name: Files}
files: {File: input.txt}
inputs: {Seconds: ${(4 * HEARTBEAT) / 1_000}}
`;
  await shared.foray.submit({ text, file: path.join(shared.folder, 'long.yaml') }, { id: 'long' });
  expect(await toTheEnd(shared, 'long')).toMatchObject({ runs: { done: 1 } });
  const last = 'SELECT executions, losses FROM runs ORDER BY seq DESC LIMIT 1';
  expect(await group.query(last)).toEqual([{ executions: 1, losses: 0 }]);
});
