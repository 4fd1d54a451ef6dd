import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunCounts } from '../../../src/campaign/types.ts';
import type { SearchLog } from '../../../src/campaign/search/log.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { foray } from '../../support/cli.ts';
import { until } from '../../support/until.ts';
import { environmentOf, startWorkerProcess, type WorkerProcess } from '../../support/worker.ts';
import { startWorld, type World } from '../../support/world.ts';
import { INVENTORY } from '../../service/fixed.ts';
import { only } from '../../support/strategy.ts';

/** Tests campaigns that find the best point of their design. */

let world: World;
let worker: WorkerProcess;

beforeAll(async () => {
  world = await startWorld({ models: [INVENTORY] });
  worker = startWorkerProcess(world.settings);
  await worker.ready;
});
afterAll(async () => {
  await worker.kill();
  await world.close();
});

function stock({ select, rest = 'seed: 42' }: { select: string; rest?: string }) {
  return {
    file: 'stock.yaml',
    text: `
campaign: stock
model: { name: Inventory }
outputs: [Mean total cost, Service level]
design:
  grid:
    Reorder point: [20, 30, 40]
    Order-up-to level: [60, 70]
select: ${select}
commonRandomNumbers: true
${rest}
`,
  };
}

const KN = '{ minimize: Mean total cost, indifference: 1, report: 12 }';

function logOf(id: string): Promise<SearchLog> {
  return world.foray['store'].searchLog(id);
}

const countsOf = (id: string): Promise<RunCounts> => world.foray['store'].counts(id);

test('killing a worker does not change the comparison, and the best point has its own runs', async () => {
  await world.foray.submit(stock({ select: KN }), { id: 'killed' });
  await until('runs are done', async () => (await countsOf('killed')).done >= 20);
  await worker.kill();
  worker = startWorkerProcess(world.settings);
  await until('points are compared', async () => (await countsOf('killed')).total > 60);
  await worker.kill();
  worker = startWorkerProcess(world.settings);
  const { phase, strategy, runs } = await toTheEnd(world, 'killed');
  const select = only('selection', strategy);
  expect(phase).toBe('completed');
  expect(select).toMatchObject({ method: 'kn', stage: 'over', points: 6, failed: 0 });
  const best = select.best!;
  expect(best).toMatchObject({ runs: 12, choice: 'compared' });
  expect(best.interval![0]).toBeLessThan(best.value);
  expect(best.interval![1]).toBeGreaterThan(best.value);
  // the reported value is the mean of the last replications, which the comparison did not use
  const own = (await world.rows('killed'))
    .filter(({ point }) => point === best.key)
    .toSorted((a, b) => b.replication - a.replication)
    .map(({ outputs }) => Number(outputs['Mean total cost']));
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(best.value).toBeCloseTo(mean(own.slice(0, 12)), 9);
  expect(best.seen).toBeCloseTo(mean(own.slice(12)), 9);
  expect(world.executions().every((times) => times === 1)).toBe(true);
  // a campaign without a kill and with another concurrency makes the same decisions and the same runs
  await world.foray.submit(stock({ select: KN, rest: 'seed: 42\nconcurrency: 3' }), { id: 'undisturbed' });
  const again = await toTheEnd(world, 'undisturbed');
  expect(again.runs).toMatchObject({ total: runs.total, new: 0 });
  expect(again.strategy).toEqual(select);
  expect(await logOf('undisturbed')).toEqual(await logOf('killed'));
});

test('a selection spends its whole budget, and then gives the best point its own runs', async () => {
  const select = '{ minimize: Mean total cost, runs: 60, report: 5 }';
  await world.foray.submit(stock({ select, rest: 'replications: 4\nseed: 7' }), { id: 'budget' });
  const status = await toTheEnd(world, 'budget');
  expect(status.runs).toMatchObject({ total: 65, failed: 0 });
  expect(status.strategy).toMatchObject({ method: 'ocba', best: { runs: 5, choice: 'undecided' } });
});

test('the best point of a selection meets the requirement', async () => {
  const select =
    '{ minimize: Mean total cost, require: { Service level: { min: 0.9 } }, indifference: 5, report: 5 }';
  await world.foray.submit(stock({ select, rest: 'replications: 4\nseed: 7' }), { id: 'required' });
  const found = only('selection', (await toTheEnd(world, 'required')).strategy);
  const rows = (await world.rows('required')).filter(({ point }) => point === found.best?.key);
  const levels = rows.slice(-5).map(({ outputs }) => Number(outputs['Service level']));
  expect(levels.reduce((sum, level) => sum + level, 0) / 5).toBeGreaterThanOrEqual(0.9);
});

test('the command line describes the best point of a selection', async () => {
  const said = async (...line: string[]): Promise<string> => {
    const { code, stdout, stderr } = await foray(world.folder, line, { env: environmentOf(world.settings) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    return `${stdout}${stderr}`;
  };
  const words =
    /Reorder point \d+.*, Order-up-to level \d+.*: Mean total cost [\d.]+ ± [\d.]+ .*\(12 runs that were not used to choose it\); its value in the comparison was .*; no other point is better by more than 1, with 95 %/;
  const status = await said('status', 'killed');
  expect(status).toMatch(/Selection \(kn\): 6 points; the comparison is over\nBest: /);
  expect(status).toMatch(words);
  expect(await said('results', 'killed', '--best')).toMatch(words);
  expect(await said('status', 'budget')).toContain('chosen with a budget of 60 runs');
  await said('report', 'killed', '-o', 'stock.html');
  const page = readFileSync(join(world.folder, 'stock.html'), 'utf8').replaceAll(/\s+/g, ' ');
  expect(page).toContain('with 95 % confidence that no other point is better by more than 1: 6 points');
  expect(page).toContain('The best points');
  expect(page).toMatch(/12 further runs give its own value/);
});

test('a plan shows the first and the maximum number of runs, and refuses a budget below the first runs', async () => {
  const certain = await world.foray.plan(stock({ select: KN }));
  // each of 6 points gets at most 2,000 replications, and the best point gets 12 further runs
  expect(certain).toMatchObject({
    points: 6,
    runs: 60,
    mostRuns: 12_012,
    strategy: { by: 'selection', method: 'kn' },
  });
  const budget = stock({ select: '{ minimize: Mean total cost, runs: 100 }', rest: 'seed: 1' });
  // by default, the best point gets 30 further runs
  expect(await world.foray.plan(budget)).toMatchObject({ runs: 60, mostRuns: 130 });
  const small = stock({ select: '{ minimize: Mean total cost, runs: 59 }', rest: 'seed: 1' });
  await expect(world.foray.plan(small)).rejects.toMatchObject({ code: 'INVALID_VALUE' });
});

test('the indifference of a selection cannot be changed', async () => {
  await expect(
    world.foray.apply('killed', stock({ select: '{ minimize: Mean total cost, indifference: 2 }' })),
  ).rejects.toMatchObject({ code: 'CHANGE_REFUSED' });
});
