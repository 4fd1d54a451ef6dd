import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { erlangC } from '../models/kernel/support.ts';
import { type Dev, foray, ROOT, startDev } from '../support/cli.ts';

let dev: Dev;
beforeAll(async () => {
  dev = await startDev({ args: ['--models', join(ROOT, 'examples/repair-shop/model')] });
});
afterAll(() => dev.stop());

/**
 * Writes an example of examples/search with less work: the whole courses are tests of test/search. A comparison asks for
 * one run after another, so a wide indifference saves most.
 */
function smaller(name: string, ...changes: [from: string, to: string][]): string {
  let text = readFileSync(join(ROOT, `examples/search/${name}.yaml`), 'utf8');
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  writeFileSync(join(dev.folder, `${name}.yaml`), text);
  return `${name}.yaml`;
}

test("examples/repair-shop, a user's model in TypeScript, agrees with theory", async () => {
  const campaign = join(ROOT, 'examples/repair-shop/campaign.yaml');
  const submitted = await foray(dev.folder, ['submit', campaign, '--id', 'shop', '--watch']);
  expect([submitted.code, submitted.stderr]).toEqual([0, expect.stringContaining('60 of 60')]);
  const { stdout } = await foray(dev.folder, ['results', 'shop', '--format', 'jsonl']);
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number>);
  for (const repairers of [1, 2, 3, 4, 5, 6]) {
    const found = rows.filter((row) => row['Repairers'] === repairers).map((row) => row['Machines at work']!);
    expect(found).toHaveLength(10);
    const mean = found.reduce((sum, value) => sum + value, 0) / found.length;
    const variance = found.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (found.length - 1);
    const z = (mean - machinesAtWork(20, repairers, 1 / 30, 1 / 4)) / Math.sqrt(variance / found.length);
    expect({ repairers, isNear: Math.abs(z) < 4 }).toEqual({ repairers, isNear: true });
  }
});

test('at least 13 of the 15 intervals of examples/service-desk, with replications until precise, contain Erlang’s values', async () => {
  const example = join(ROOT, 'examples/service-desk');
  const [head, ...lines] = readFileSync(join(example, 'erlang-c.csv'), 'utf8').trimEnd().split('\n');
  expect(head).toBe('Server capacity,Mean waiting time,Mean queue size,Server utilization');
  expect(lines).toHaveLength(5);
  for (const [i, line] of lines.entries()) {
    const [servers, load] = [8 + i, 7];
    const queue = (erlangC(servers, load) * load) / (servers - load);
    const known = [servers, queue / load, queue, load / servers];
    for (const [at, text] of line.split(',').entries()) expect(Number(text) / known[at]!).toBeCloseTo(1, 7);
  }

  const campaign = join(example, 'campaign.yaml');
  const submitted = await foray(dev.folder, ['submit', campaign, '--id', 'desk', '--watch']);
  expect([submitted.code, submitted.stderr]).toEqual([0, expect.stringContaining('completed')]);
  const known = join(example, 'erlang-c.csv');
  const args = ['report', 'desk', '--reference', known, '-o', 'desk.html'];
  expect(await foray(dev.folder, args)).toMatchObject({ code: 0, stderr: 'Wrote desk.html\n' });
  const page = readFileSync(join(dev.folder, 'desk.html'), 'utf8');
  // The seed was not chosen for this test. An interval of 95% misses its value once in twenty, so in one of 28
  // campaigns fewer than 13 of the 15 intervals contain their values.
  expect(page).toMatch(/1[345] of 15 intervals\s+contain\s+the value that erlang-c\.csv gives/);
  const [picture] = /<svg[^>]*aria-label="Mean waiting time by Server capacity\..*?<\/svg>/s.exec(page)!;
  expect(picture).toContain('erlang-c.csv');
  expect(picture).toMatch(/<g class="mark-line role-mark[^>]*><path[^>]*stroke="#e8590c"/);
  const [, bars] = /<g class="mark-rule role-mark[^>]*>(.*?)<\/g>/s.exec(picture)!;
  expect(bars!.match(/<line/g)).toHaveLength(5);
});

test('examples/search/flu finds a better fit than the grid of 1,271 runs', async () => {
  const campaign = join(ROOT, 'examples/search/flu.yaml');
  const submitted = await foray(dev.folder, ['submit', campaign, '--id', 'flu', '--watch']);
  expect([submitted.code, submitted.stderr]).toEqual([0, expect.stringContaining('40 of 40')]);
  const { stdout } = await foray(dev.folder, ['status', 'flu', '--json']);
  const { strategy: search } = JSON.parse(stdout) as {
    strategy: { best: { value: number }; stoppedBy: string };
  };
  // the lowest fit error in the grid is 17.27675
  expect(search.best.value).toBeLessThan(17.2768);
  expect(search.stoppedBy).toBe('points');
});

test('examples/search/inventory finds a policy that keeps the service level, and extra runs measure its cost', async () => {
  const campaign = smaller('inventory', ['points: 50', 'points: 30'], ['indifference: 1', 'indifference: 5']);
  const submitted = await foray(dev.folder, ['submit', campaign, '--id', 'stock', '--watch']);
  expect([submitted.code, submitted.stderr]).toEqual([0, expect.stringContaining('completed')]);
  const best = await foray(dev.folder, ['results', 'stock', '--best', '--format', 'jsonl']);
  const row = JSON.parse(best.stdout) as Record<string, number>;
  expect(row['runs']).toBe(30);
  expect(row['Reorder point']).toBeLessThan(row['Order-up-to level']!);
  expect(best.stderr).toContain('30 runs that were not used to choose it');
  const { stdout } = await foray(dev.folder, ['results', 'stock', '--format', 'jsonl']);
  const runs = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number>);
  const own = runs
    .filter((run) => run['point'] === row['point'])
    .toSorted((a, b) => a['replication']! - b['replication']!);
  const levels = own.slice(-30).map((run) => run['Service level']!);
  expect(levels.reduce((sum, level) => sum + level, 0) / 30).toBeGreaterThanOrEqual(0.9);
});

test('examples/search/select is sure about the best of 25 policies, and measures its cost with runs that were not used to choose it', async () => {
  const campaign = smaller('select', ['indifference: 1', 'indifference: 5']);
  const submitted = await foray(dev.folder, ['submit', campaign, '--id', 'policy', '--watch']);
  expect([submitted.code, submitted.stderr]).toEqual([0, expect.stringContaining('completed')]);
  const { stdout } = await foray(dev.folder, ['status', 'policy', '--json']);
  const { strategy, runs } = JSON.parse(stdout) as {
    strategy: { by: string; method: string; best: { runs: number; choice: string; interval: number[] } };
    runs: { done: number };
  };
  expect(strategy).toMatchObject({
    by: 'selection',
    method: 'kn',
    best: { runs: 30, choice: 'compared' },
  });
  // most of the 25 policies were eliminated after their first ten runs
  expect(runs.done).toBeLessThan(25 * 10 + 150);
});

test('examples/search/abc finds the rates that explain the observed epidemic', async () => {
  const campaign = smaller('abc', ['generations: 4', 'generations: 2']);
  const submitted = await foray(dev.folder, ['submit', campaign, '--id', 'posterior', '--watch']);
  expect([submitted.code, submitted.stderr]).toEqual([0, expect.stringContaining('completed')]);
  const { stdout } = await foray(dev.folder, ['status', 'posterior', '--json']);
  const { strategy } = JSON.parse(stdout) as {
    strategy: { posterior: { inputs: Record<string, { low: number; high: number }> } };
  };
  const { inputs } = strategy.posterior;
  // these rates are the best fit of the deterministic model
  for (const [name, value] of [
    ['Contact rate', 1.669],
    ['Recovery rate', 0.443],
  ] as const) {
    expect(inputs[name]!.low).toBeLessThan(value);
    expect(inputs[name]!.high).toBeGreaterThan(value);
  }
});

/**
 * The mean number of working machines in the queue M/M/c//K, in which the broken machines are a birth-death process.
 */
function machinesAtWork(
  machines: number,
  repairers: number,
  failureRate: number,
  repairRate: number,
): number {
  let weight = 1;
  let [total, atWork] = [1, machines];
  for (let broken = 1; broken <= machines; broken++) {
    weight *= ((machines - broken + 1) * failureRate) / (Math.min(broken, repairers) * repairRate);
    total += weight;
    atWork += weight * (machines - broken);
  }
  return atWork / total;
}
