import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cloudClient } from '../../../src/client/index.ts';
import { formatResults, resultTable } from '../../../src/report/index.ts';
import { writeModel } from '../../service/support.ts';
import { command, toTheEnd, untilRunning } from '../../support/campaigns.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import { REHEARSAL } from '../../service/fixed.ts';
import { only } from '../../support/strategy.ts';

/** The source of a model whose runs fail if N is above a limit. */
const source = ({
  limit,
  output = 'Double',
  wait = 0,
}: {
  limit: number;
  output?: string;
  wait?: number;
}) => `
  export default {
    name: 'Brittle', description: '', published: true,
    inputs: [{ name: '{RANDOM_SEED}', type: 'LONG', default: 1 }, { name: 'N', type: 'DOUBLE', default: 1 }],
    outputs: [{ name: '${output}', type: 'DOUBLE' }],
    async run({ inputs }) {
      if (inputs.N > ${limit}) throw new Error('math domain error at N = ' + inputs.N);
      await new Promise((resolve) => setTimeout(resolve, ${wait}));
      return { '${output}': 2 * inputs.N };
    },
  };`;

const definition = (values: number[], more = '') => ({
  text: `campaign: brittle\nmodel: {name: Brittle}\ndesign: {grid: {N: [${values.join(', ')}]}}\nseed: 5\n${more}`,
  file: 'brittle.yaml',
});

let models: string;
let world: World;
beforeAll(async () => {
  models = mkdtempSync(join(tmpdir(), 'foray-models-'));
  writeModel(models, 'brittle', source({ limit: 2 }));
  world = await startWorld({ models: [REHEARSAL, models] });
  await world.startWorker();
});
afterAll(async () => {
  await world.close();
  rmSync(models, { recursive: true, force: true });
});

const textOf = async (id: string, format: 'csv' | 'jsonl'): Promise<string> => {
  const { record, rows } = await world.foray.results(id);
  return (await Array.fromAsync(formatResults(format, record.campaign, rows))).join('');
};

async function latest(): Promise<number> {
  const cloud = cloudClient(world.settings, 'person');
  return (await cloud.getModelByName('Brittle')).modelVersions.length;
}

/** Changes the model, and waits until the service has its new version. */
async function change(
  options: Parameters<typeof source>[0],
  files: Record<string, string> = {},
): Promise<number> {
  const before = await latest();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(models, 'brittle', name), content);
  writeModel(models, 'brittle', source(options));
  return until('the model has a new version', async () => {
    const now = await latest();
    return now > before && now;
  });
}

/** Submits a campaign and waits for its end. Its runs above the limit of the model fail. */
async function failing(values: number[], more = ''): Promise<string> {
  const { id } = await world.foray.submit(definition(values, more));
  expect((await toTheEnd(world, id)).runs.failed).toBeGreaterThan(0);
  return id;
}

const state = async (id: string) => {
  const { phase, runs } = await world.foray.status(id);
  return { phase, runs, rows: await world.rows(id) };
};

const cellsOf = async (id: string, column: string) => {
  const { record, rows } = await world.foray.results(id);
  const table = resultTable(record.campaign, rows);
  const at = table.columns.findIndex(({ name }) => name === column);
  return (await Array.fromAsync(table.rows)).map((cells) => cells[at]);
};

test('a retry repeats failed runs with the corrected model; the other runs keep their version, and foray keeps the reasons of the failures', async () => {
  const id = await failing([1, 2, 3, 4]);
  const before = await state(id);
  const [, , failed] = before.rows;
  const sent = (await world.foray.explain(id, failed!.point)).runs[0]!.seed;
  expect(await textOf(id, 'csv')).toMatch(/^point,replication,status,N,/);
  const from = await latest();
  const to = await change({ limit: 9 }, { 'params.csv': 'a,b\n' });

  // the old version fails as before
  expect(await world.foray.planRetry(id)).toMatchObject({ failed: 2, version: null, isOutdated: true });
  expect(await world.foray.retry(id)).toMatchObject({ forgiven: 2 });
  expect((await toTheEnd(world, id)).runs).toMatchObject({ done: 2, failed: 2 });

  expect(await world.foray.planRetry(id, 'all', { version: 'latest' })).toEqual({
    failed: 2,
    missing: 0,
    others: 2,
    version: { from, to, files: { changed: ['model.js'], added: ['params.csv'], gone: [] } },
    isOutdated: false,
  });
  expect(await world.foray.retry(id, 'all', { version: 'latest' })).toMatchObject({ forgiven: 2, open: 2 });
  expect((await toTheEnd(world, id)).runs).toMatchObject({ done: 4, failed: 0 });
  expect(await world.foray.status(id)).toMatchObject({ modelVersion: to });
  expect(await cellsOf(id, 'version')).toEqual([from, from, to, to].map(String));
  expect(await cellsOf(id, 'Double')).toEqual(['2', '4', '6', '8']);
  expect(await textOf(id, 'csv')).toMatch(/^point,replication,status,version,N,/);
  const objects = (await textOf(id, 'jsonl')).trim().split('\n');
  expect(objects.map((line) => (JSON.parse(line) as { version: number }).version)).toEqual([
    from,
    from,
    to,
    to,
  ]);

  const [run] = (await world.foray.explain(id, failed!.point)).runs;
  expect(run).toMatchObject({ state: 'done', version: to, seed: sent });
  const attempt = {
    failed: expect.any(String),
    version: from,
    reason: expect.stringContaining('math domain error at N = 3'),
  };
  expect(run!.earlier).toEqual([attempt, attempt]);
});

test('a retry refuses a version that lacks an output of the campaign, and refuses an unknown version', async () => {
  const id = await failing([100]);
  const before = await state(id);
  const unfit = await change({ limit: 999, output: 'Twice' });
  await expect(world.foray.retry(id, 'all', { version: 'latest' })).rejects.toMatchObject({
    code: 'CHANGE_REFUSED',
    message: expect.stringContaining('no output "Double"'),
  });
  await expect(world.foray.retry(id, 'all', { version: unfit + 1 })).rejects.toMatchObject({
    code: 'UNKNOWN_MODEL',
  });
  expect(await state(id)).toEqual(before);
  expect((await world.foray.results(id)).record.campaign.versions).toBeUndefined();
});

test('apply with another version uses that version for failed runs and new runs', async () => {
  await change({ limit: 1_000 });
  const id = await failing([999, 1_001]);
  const from = await latest();
  const to = await change({ limit: 2_000 });
  const changed = definition([999, 1_001, 1_002]);
  const next = { ...changed, text: changed.text.replace('Brittle}', `Brittle, version: ${to}}`) };
  expect(await world.foray.compare(id, next)).toMatchObject({ version: { from, to }, points: { added: 1 } });
  await world.foray.apply(id, next);
  expect((await toTheEnd(world, id)).runs).toMatchObject({ done: 3, failed: 0 });
  expect(await cellsOf(id, 'version')).toEqual([from, to, to].map(String));
  // a definition that names no version keeps the version of the campaign
  await world.foray.apply(id, definition([999, 1_001]));
  expect(await world.foray.status(id)).toMatchObject({ modelVersion: to });
});

test('runs of two versions can be in flight in one campaign, and a cancel leaves no run in flight', async () => {
  await change({ limit: 10_000, wait: 600_000 });
  const { id } = await world.foray.submit(definition([10_001, 3_001, 3_002], 'concurrency: 2\n'));
  await until('one run has failed', async () => (await world.foray.status(id)).runs.failed === 1);
  await untilRunning(world, id);
  const to = await change({ limit: 20_000, wait: 600_001 });
  await world.foray.retry(id, 'failed', { version: to });
  await world.foray.setConcurrency(id, 3);
  await until('all three runs are in flight', async () => {
    const { running, queued } = (await world.foray.status(id)).runs;
    return running + queued === 3;
  });
  await world.foray.cancel(id);
  expect(await toTheEnd(world, id)).toMatchObject({ phase: 'cancelled', runs: { waiting: 3 } });
});

test('foray retry --version says which runs it would repeat with which version, and asks for confirmation', async () => {
  await change({ limit: 30_000 });
  const id = await failing([30_001, 5]);
  await change({ limit: 40_000 });
  const run = (...args: string[]) => command(world, ...args);
  const asked = await run('retry', id, '--version', 'latest');
  expect([asked.code, asked.stderr]).toEqual([
    2,
    expect.stringMatching(
      /^1 failed run with version \d+; 1 run keeps its version \(\d+\)\. model\.js changed\.\n.*--yes/,
    ),
  ]);
  expect((await world.foray.status(id)).runs.failed).toBe(1);
  const again = await run('retry', id);
  expect([again.code, again.stderr]).toEqual([
    0,
    expect.stringContaining(`The model has a newer version; these runs use the version of the campaign.`),
  ]);
  expect((await toTheEnd(world, id)).runs.failed).toBe(1);
  const done = await run('retry', id, '--version', 'latest', '--yes');
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('1 failed run requested again')]);
  await toTheEnd(world, id);
  const explained = await run('explain', id, (await world.rows(id))[0]!.point);
  expect(explained.stdout).toMatch(/Earlier attempts that failed\n.*\n.*math domain error at N = 30001/);
  const { stdout } = await run('explain', id, (await world.rows(id))[0]!.point, '--log');
  expect(stdout).toMatch(
    /Replication 1\. This campaign started the run\. Before that 2 attempts failed: .*math domain error at N = 30001.*\n.*\| Error/,
  );
});

test('after a retry a search keeps its failed points and says so, and a search that begins with it uses their results', async () => {
  const search = (more: string) => ({
    text: `campaign: mended
model: {name: Brittle}
search: {maximize: Double, over: {N: {min: 39996, max: 40005, digits: 0}}, stop: {points: 6}, ${more}}
seed: 5`,
    file: 'mended.yaml',
  });
  // the model of the last test fails above 40,000
  const { id } = await world.foray.submit(search('parallel: 2'));
  const { failed, told } = only('search', (await toTheEnd(world, id)).strategy);
  expect(failed).toBeGreaterThan(1);
  await change({ limit: 60_000 });
  const run = (...args: string[]) => command(world, ...args);
  const retried = await run('retry', id, '--version', 'latest', '--yes');
  expect(retried.stderr).toContain(`it begins with this campaign: start: { campaign: ${id} }`);
  expect(await toTheEnd(world, id)).toMatchObject({
    runs: { failed: 0 },
    strategy: { failed, told, lastFailure: null },
  });
  expect((await run('status', id)).stdout).toContain(
    `${failed} failed (the runs of the last one were requested again, but the search does not use their new results)`,
  );
  const highest = Math.max(...(await cellsOf(id, 'Double')).map(Number));
  expect(highest).toBeGreaterThan(2 * 40_000);
  const next = await world.foray.submit(search(`start: {campaign: ${id}}`), { id: 'begins-with-mended' });
  const found = only('search', (await toTheEnd(world, next.id)).strategy);
  expect(found).toMatchObject({ known: failed + told, unused: [], failed: 0 });
  expect(found.best!.value).toBeGreaterThanOrEqual(highest);
});

test('a campaign keeps the version that it started with while the model changes', async () => {
  await change({ limit: 100_000, wait: 200 });
  const values = [50_021, 50_022, 50_023, 50_024];
  const { id } = await world.foray.submit(definition(values, 'concurrency: 1\n'));
  await until('one run is done', async () => (await world.foray.status(id)).runs.done > 0);
  await change({ limit: 0 });
  expect((await toTheEnd(world, id)).runs).toMatchObject({ done: 4, failed: 0 });
  expect(await cellsOf(id, 'Double')).toEqual(values.map((value) => String(2 * value)));
});
