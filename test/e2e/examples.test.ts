import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Dev, foray, ROOT, startDev } from '../support/cli.ts';

let dev: Dev;
beforeAll(async () => {
  dev = await startDev({ args: ['--models', join(ROOT, 'examples/repair-shop/model')] });
});
afterAll(() => dev.stop());

test('examples/repair-shop, a model of one’s own in TypeScript, agrees with theory', async () => {
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

/** Mean number of machines at work in M/M/c//K: a birth and death process of those that are broken. */
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
