import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Analysis, Foray } from '../../src/client/index.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { clientOf, type Dev, foray, ROOT, startDev } from '../support/cli.ts';

const FOLDER = join(ROOT, 'examples');

let dev: Dev;
let client: Foray;

beforeAll(async () => {
  dev = await startDev();
  client = await clientOf(dev);
  await Promise.all(
    ['designs/one-at-a-time', 'designs/latin-hypercube'].map(async (name) => {
      const file = join(FOLDER, `${name}.yaml`);
      const id = name.split('/')[1]!;
      await client.submit({ text: readFileSync(file, 'utf8'), file }, { id });
      await toTheEnd({ foray: client }, id);
    }),
  );
  await client.submit(
    { text: 'campaign: one-point\nmodel: { name: Inventory }', file: 'one-point.yaml' },
    { id: 'one-point' },
  );
});
afterAll(async () => {
  await client.close();
  await dev.stop();
});

test('analyze --format json prints one object with --output, and a list without it', async () => {
  const { stdout, code } = await foray(dev.folder, [
    ...['analyze', 'one-at-a-time', '--output', 'Mean total cost', '--format', 'json'],
  ]);
  expect(code).toBe(0);
  const found = JSON.parse(stdout) as Analysis;
  expect(Object.keys(found)).toEqual(
    expect.arrayContaining(['campaign', 'output', 'method', 'runs', 'indices', 'warnings']),
  );
  expect(found).toMatchObject({
    campaign: 'one-at-a-time',
    output: 'Mean total cost',
    method: 'one-at-a-time',
    runs: 36,
  });
  const holding = found.indices!.find(({ input }) => input === 'Holding cost')!;
  // a more expensive stock costs more in every replication
  expect(holding.effect).toBeGreaterThan(0);
  expect(holding.effectInterval![0]).toBeGreaterThan(0);
  expect(holding.elasticity).toBeGreaterThan(0);

  const all = await foray(dev.folder, ['analyze', 'one-at-a-time', '--format', 'json']);
  expect((JSON.parse(all.stdout) as Analysis[]).map(({ output }) => output)).toEqual([
    'Mean total cost',
    'Mean inventory',
  ]);
});

test('the analysis of a sample is a regression, as a table and as CSV', async () => {
  const table = await foray(dev.folder, ['analyze', 'latin-hypercube', '--output', 'Mean total cost']);
  expect(table.stdout).toMatch(/^output +input +src +srcLow +srcHigh/);
  expect(table.stderr).toContain('of the variance of Mean total cost');
  const csv = await foray(dev.folder, ['analyze', 'latin-hypercube', '--format', 'csv']);
  expect(csv.stdout.trimEnd().split('\n')).toHaveLength(1 + 2 * 3);
});

test('the analysis of a campaign with one point says that it needs a sample', async () => {
  const { code, stderr } = await foray(dev.folder, ['analyze', 'one-point']);
  expect(code).toBe(2);
  expect(stderr).toContain('saltelli');
});

test('the report says which inputs matter', async () => {
  const { code } = await foray(dev.folder, ['report', 'one-at-a-time', '-o', 'report.html']);
  expect(code).toBe(0);
  const page = readFileSync(join(dev.folder, 'report.html'), 'utf8');
  expect(page).toContain('<h2>Which inputs matter</h2>');
  expect(page).toContain('data-file="one-at-a-time-tornado.svg"');
});
