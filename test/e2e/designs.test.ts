import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { WrittenDesign } from '../../src/campaign/designs/index.ts';
import { expand } from '../../src/campaign/points.ts';
import { morrisLevels } from '../../src/campaign/sampling/morris.ts';
import { checkCampaign } from '../../src/client/check.ts';
import type { Analysis, Foray } from '../../src/client/index.ts';
import { CloudClient } from '../../src/cloud/index.ts';
import { readAddresses } from '../../src/dev/home.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { clientOf, type Dev, foray, ROOT, startDev } from '../support/cli.ts';

type Example = [name: string, points: number, least: number, most?: number];

/**
 * The expected points and replications of every definition in examples/designs. For the precise campaign, the number of
 * replications is a range.
 */
const designs: Example[] = [
  ['common-random-numbers', 2, 10],
  ['derived', 5, 5],
  ['grid', 9, 4],
  ['halton', 25, 1],
  ['latin-hypercube', 20, 2],
  ['one-at-a-time', 9, 4],
  ['points-file', 6, 1],
  ['points-jsonl', 4, 5],
  ['points', 3, 5],
  ['precise', 2, 10, 100],
  ['product', 20, 2],
  ['random', 40, 1],
  ['sobol', 32, 1],
  ['union', 9, 4],
  ['zip', 4, 5],
];

/** The expected points and replications of the definitions in examples/sensitivity. */
const sensitivity: Example[] = [
  ['factorial', 16, 5],
  // run with two replications
  ['morris', 90, 2],
  ['one-per-input', 15, 5],
];

/**
 * The expected first points and the replications of definitions in examples/sensitivity. Their 1,614 further runs would tell
 * no more than those of test/sensitivity.
 */
const planned: [name: string, points: number, replications: number][] = [
  ['morris', 90, 5],
  ['saltelli', 320, 1],
  ['until-precise', 256, 1],
];

const examples = [
  ...designs.map((example) => ['designs', ...example] as const),
  ...sensitivity.map((example) => ['sensitivity', ...example] as const),
];

/** A finished run: the values of the varied inputs as text, and its outputs. */
interface Row {
  point: string;
  replication: number;
  status: string;
  inputs: Record<string, string>;
  outputs: Record<string, string>;
}

/** The results of each campaign, by the name of its definition. */
const ran = new Map<string, { phase: string; rows: Row[] }>();
let dev: Dev;
let client: Foray;

beforeAll(async () => {
  dev = await startDev();
  client = await clientOf(dev);
  // three at a time, because a campaign that waits for the executors of others costs ticks
  const left = examples.values();
  const carryOut = async () => {
    for (const [folder, name] of left) ran.set(name, await run(folder, name));
  };
  await Promise.all([carryOut(), carryOut(), carryOut()]);
}, 600_000);
afterAll(async () => {
  await client.close();
  await dev.stop();
});

/** Runs a campaign to its end and reads its results. */
async function run(folder: string, name: string): Promise<{ phase: string; rows: Row[] }> {
  const file = join(ROOT, 'examples', folder, `${name}.yaml`);
  const text = readFileSync(file, 'utf8');
  const fewer = name === 'morris' ? text.replace('replications: 5', 'replications: 2') : text;
  await client.submit({ text: fewer, file }, { id: name });
  const { phase } = await toTheEnd({ foray: client }, name);
  const { record, rows } = await client.results(name);
  const found: Row[] = [];
  for await (const { point, replication, status, values, outputs } of rows) {
    const inputs = Object.fromEntries(record.campaign.varied.map((input, at) => [input.name, values[at]!]));
    found.push({ point, replication, status, inputs, outputs });
  }
  return { phase, rows: found };
}

test.each([
  ['designs', designs],
  ['sensitivity', [...sensitivity, ...planned.slice(1)]],
])('the folder examples/%s has exactly the definitions of this file', (folder, known) => {
  const files = readdirSync(join(ROOT, 'examples', folder)).filter((file) => file.endsWith('.yaml'));
  expect(files.toSorted()).toEqual(known.map(([name]) => `${name}.yaml`).toSorted());
});

test.each(examples)(
  'examples/%s/%s.yaml gives the expected points and replications',
  (_, name, points, least, most = least) => {
    const { phase, rows } = ran.get(name)!;
    expect(phase).toBe('completed');
    expect(rows.filter(({ status }) => status !== 'done')).toEqual([]);
    const byPoint = Map.groupBy(rows, ({ point }) => point);
    expect(byPoint.size).toBe(points);
    for (const runs of byPoint.values()) {
      expect(runs.length).toBeGreaterThanOrEqual(least);
      expect(runs.length).toBeLessThanOrEqual(most);
      expect(runs.map(({ replication }) => replication)).toEqual(runs.map((_, at) => at + 1));
      // all runs of a point have the same inputs, and no other point has these inputs
      expect(new Set(runs.map((row) => JSON.stringify(row.inputs))).size).toBe(1);
    }
    expect(new Set(rows.map((row) => JSON.stringify(row.inputs))).size).toBe(points);
  },
);

test.each(planned)(
  'examples/sensitivity/%s.yaml begins with %d points, %d times',
  async (name, points, replications) => {
    const file = join(ROOT, `examples/sensitivity/${name}.yaml`);
    const cloud = new CloudClient(readAddresses(join(dev.folder, '.foray'))!.service);
    const { campaign } = await checkCampaign(cloud, { text: readFileSync(file, 'utf8'), file });
    const keys = new Set([...expand(campaign)].map(({ key }) => key));
    expect([keys.size, campaign.replications]).toEqual([points, replications]);
  },
);

function definitionIn(folder: string, name: string): { design: WrittenDesign } {
  const text = readFileSync(join(ROOT, 'examples', folder, `${name}.yaml`), 'utf8');
  return parse(text) as { design: WrittenDesign };
}

function numbers(name: string, column: string, where: (row: Row) => boolean): number[] {
  return ran
    .get(name)!
    .rows.filter(where)
    .map(({ outputs }) => Number(outputs[column]));
}

test('with common random numbers, a replication has the same random events in every point', () => {
  // different costs do not change the random events
  const inventory = (given: Record<string, number>): number[] =>
    numbers('one-at-a-time', 'Mean inventory', ({ inputs }) =>
      Object.entries({ 'Demand rate': 10, 'Maximum delivery lag': 1, ...given }).every(
        ([name, value]) => inputs[name] === String(value),
      ),
    );
  const unchanged = inventory({ 'Setup cost': 32, 'Holding cost': 1 });
  expect(new Set(unchanged).size).toBe(4);
  for (const cost of [24, 40]) expect(inventory({ 'Setup cost': cost })).toEqual(unchanged);
  for (const cost of [0.75, 1.25]) expect(inventory({ 'Holding cost': cost })).toEqual(unchanged);
});

test('with common random numbers, the difference of two policies varies less than either policy', () => {
  const [one, two] = [20, 25].map((point) =>
    numbers(
      'common-random-numbers',
      'Mean total cost',
      ({ inputs }) => inputs['Reorder point'] === String(point),
    ),
  );
  const differences = one!.map((cost, at) => cost - two![at]!);
  expect(differences).toHaveLength(10);
  expect(deviation(differences)).toBeLessThan(deviation(one!));
  expect(deviation(differences)).toBeLessThan(deviation(two!));
});

test('trajectories show which of eight inputs have the largest and the smallest effect on the cost', () => {
  const { design } = definitionIn('sensitivity', 'morris');
  const { inputs } = design.morris!;
  const trajectories = design.morris!.trajectories as number;
  const names = Object.keys(inputs);
  const morris = { inputs: names.map((name) => ({ name })), trajectories, levels: 4, seed: 1 };
  // the points have the order of the design's rows, because no row is repeated
  const points = [...Map.groupBy(ran.get('morris')!.rows, ({ point }) => point).values()];
  const costs = points.map((runs) => mean(runs.map(({ outputs }) => Number(outputs['Mean total cost']))));
  const effects = new Map(names.map((name): [string, number[]] => [name, []]));
  for (const [at, { changed, step }] of [...morrisLevels(morris)].entries()) {
    if (changed !== null) effects.get(names[changed]!)!.push(Math.abs((costs[at]! - costs[at - 1]!) / step));
  }
  const ranked = names.toSorted((a, b) => mean(effects.get(b)!) - mean(effects.get(a)!));
  expect(ranked[0]).toBe('Demand rate');
  expect(ranked.at(-1)).toBe('Initial inventory');
});

test('a campaign with replications until precise reaches the precision', () => {
  for (const level of [50, 80]) {
    const costs = numbers(
      'precise',
      'Mean total cost',
      ({ inputs }) => inputs['Order-up-to level'] === String(level),
    );
    expect(costs.length).toBeLessThan(100);
    // the interval by Student's t, which the definition uses, is wider than a normal interval
    const half = (1.96 * deviation(costs)) / Math.sqrt(costs.length);
    expect(half / mean(costs)).toBeLessThan(0.05);
  }
});

test('analyze --format json prints one object with --output, and a list without --output', async () => {
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
  // higher holding costs raise the total cost in every replication
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
  // the header, and for each of two outputs a line for each of three inputs
  expect(csv.stdout.trimEnd().split('\n')).toHaveLength(1 + 2 * 3);
});

test('foray analyze refuses a campaign with one point, and names a suitable design', async () => {
  await client.submit(
    { text: 'campaign: one-point\nmodel: { name: Inventory }', file: 'one-point.yaml' },
    { id: 'one-point' },
  );
  const { code, stderr } = await foray(dev.folder, ['analyze', 'one-point']);
  expect(code).toBe(2);
  expect(stderr).toContain('saltelli');
});

test('the report shows which inputs matter', async () => {
  const { code } = await foray(dev.folder, ['report', 'one-at-a-time', '-o', 'report.html']);
  expect(code).toBe(0);
  const page = readFileSync(join(dev.folder, 'report.html'), 'utf8');
  expect(page).toContain('<h2>Which inputs matter</h2>');
  expect(page).toContain('data-file="one-at-a-time-tornado"');
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}
