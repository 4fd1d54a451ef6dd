import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Dev, foray, ROOT, startDev } from '../support/cli.ts';

/** Functions in Python, as campaigns. */

const EXAMPLE = join(ROOT, 'examples/clinic');

/** Its outputs depend on earlier runs. Because of the files that it leaves open, a process executes three runs. */
const LEAKY = `
from typing import TypedDict
from foray_model import model
left = []
class Result(TypedDict):
    y: float
@model
def leaky(*, seed: int = 1) -> Result:
    left.extend(open("/dev/null") for _ in range(8))
    return {"y": float(len(left))}
`;

let dev: Dev;
let models: string;
beforeAll(async () => {
  models = mkdtempSync(join(tmpdir(), 'foray-leaky-'));
  mkdirSync(join(models, 'leaky'));
  writeFileSync(join(models, 'leaky/model.py'), LEAKY);
  dev = await startDev({ args: ['--models', join(EXAMPLE, 'model'), '--models', models] });
});
afterAll(async () => {
  await dev.stop();
  rmSync(models, { recursive: true, force: true });
});

test('status and the report tell that outputs have depended on earlier runs, with two values', async () => {
  const file = join(dev.folder, 'leaky.yaml');
  writeFileSync(file, 'campaign: leaky\nmodel: { name: Leaky }\nreplications: 12\nseed: 1\n');
  expect((await foray(dev.folder, ['submit', file, '--id', 'leaky', '--watch'])).code).toBe(0);
  const difference = '"Y" was 24 after other runs of its process, and 8 in a new process';
  const { stdout } = await foray(dev.folder, ['status', 'leaky']);
  expect(stdout).toContain(difference);
  const report = join(dev.folder, 'leaky.html');
  expect((await foray(dev.folder, ['report', 'leaky', '-o', report])).code).toBe(0);
  const shown = readFileSync(report, 'utf8').replaceAll('&quot;', '"').replaceAll('&#34;', '"');
  expect(shown).toContain(`Results may be wrong, because`);
  expect(shown).toContain(difference);
});

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
