import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Dev, foray, ROOT, startDev } from '../support/cli.ts';

/** The example of a function in Python, as a campaign. */

const EXAMPLE = join(ROOT, 'examples/clinic');

let dev: Dev;
beforeAll(async () => {
  dev = await startDev({ args: ['--models', join(EXAMPLE, 'model')] });
});
afterAll(() => dev.stop());

test('the waits of the clinic are those of the formula of Erlang', async () => {
  const text = readFileSync(join(EXAMPLE, 'campaign.yaml'), 'utf8');
  const file = join(dev.folder, 'clinic.yaml');
  writeFileSync(file, text.replace('[2, 3, 4]', '[2]').replace('{ from: 4, to: 11, step: 1 }', '[9]'));
  expect((await foray(dev.folder, ['submit', file, '--id', 'clinic', '--watch'])).code).toBe(0);
  const { stdout } = await foray(dev.folder, ['results', 'clinic', '--format', 'jsonl', '--all']);
  const waits = stdout
    .trimEnd()
    .split('\n')
    .map((line) => Number((JSON.parse(line) as Record<string, unknown>)['Mean wait']));
  expect(waits).toHaveLength(20);
  // M/M/2: the mean wait is s ρ² / (1 − ρ²), here with s = 10 minutes and ρ = 0.75 (Allen, Probability, Statistics and
  // Queueing Theory, 5.2.3)
  const exact = (10 * 0.75 ** 2) / (1 - 0.75 ** 2);
  const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
  const variance = waits.reduce((sum, wait) => sum + (wait - mean) ** 2, 0) / (waits.length - 1);
  expect(Math.abs(mean - exact) / Math.sqrt(variance / waits.length)).toBeLessThan(4);
});
