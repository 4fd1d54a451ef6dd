import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CampaignStatus, Foray } from '../../src/client/index.ts';
import { resultObjects } from '../../src/report/formats/objects.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { cleanEnv, clientOf, type Dev, foray, isRunning, MAIN, ROOT, startDev } from '../support/cli.ts';
import { until } from '../support/until.ts';

/** Campaigns of models in Python: programs as docs/guides/models.md describes them, and functions. */

const EXAMPLE = join(ROOT, 'examples/forest-fire');
const CAMPAIGN = join(EXAMPLE, 'campaign.yaml');
const CLINIC = join(ROOT, 'examples/clinic');

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
let client: Foray;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'foray-python-'));
  for (const name of ['own', 'own/leaky']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'own/leaky/model.py'), LEAKY);
  const models = [join(EXAMPLE, 'model'), join(CLINIC, 'model'), 'own'];
  dev = await startDev({ folder, args: models.flatMap((model) => ['--models', model]) });
  client = await clientOf(dev);
});
afterAll(async () => {
  await client?.close();
  await dev?.stop();
});

const run = (...args: string[]) => foray(dev.folder, args);

const rows = (id: string) => Array.fromAsync(resultObjects(client, id));

/** Submits a definition, and waits for its end. A command would take half a CPU second more. */
async function ended(file: string, id: string): Promise<CampaignStatus> {
  await client.submit(source(file), { id });
  return toTheEnd({ foray: client }, id);
}

/** Waits until the service serves a model that was written after the start. */
function served(model: string): Promise<unknown> {
  return until(`${model} is served`, () => dev.said().includes(`Models have changed: ${model}, version 1`));
}

/** Writes the campaign of the example with a changed text. Returns the path of the file. */
function write(name: string, change: (text: string) => string): string {
  const file = join(dev.folder, name);
  writeFileSync(file, change(readFileSync(CAMPAIGN, 'utf8')));
  return file;
}

function source(file: string): { text: string; file: string } {
  return { text: readFileSync(file, 'utf8'), file };
}

test('the log of a failed run has the whole traceback after what the program printed', async () => {
  const program = `import json, math, sys
inputs = json.load(sys.stdin)
def logarithm(x):
    return math.log(x)
def simulate(n):
    return logarithm(n - 10)
def main():
    print("simulating", inputs["N"])
    return {"Out": simulate(inputs["N"])}
print(json.dumps({"outputs": main()}))
`;
  const declaration = {
    name: 'Seir',
    description: '',
    command: 'python3 sim.py',
    inputs: [{ name: 'N', type: 'INTEGER', default: 11 }],
    outputs: [{ name: 'Out', type: 'DOUBLE' }],
  };
  const model = join(dev.folder, 'own/seir');
  mkdirSync(model, { recursive: true });
  writeFileSync(join(model, 'sim.py'), program);
  writeFileSync(join(model, 'model.json'), JSON.stringify(declaration));
  await served('Seir');
  writeFileSync(join(dev.folder, 'seir.yaml'), 'campaign: seir\nmodel: {name: Seir}\ninputs: {N: 3}\n');
  expect((await ended(join(dev.folder, 'seir.yaml'), 'seir')).runs).toMatchObject({ failed: 1 });
  const [{ point }] = (await rows('seir')) as [{ point: string }];
  const [explained] = (await client.explain('seir', point)).runs;
  expect(explained!.log!.lines.join('\n')).toMatch(
    /simulating 3\nTraceback [^]*sim\.py", line 10, in <module>[^]*line 9, in main[^]*line 6, in simulate[^]*line 4, in logarithm[^]*ValueError: math domain error/,
  );
});

test('the example runs with 13 of its 200 points, and the next campaign reuses the runs', async () => {
  const file = write('fire.yaml', (text) => text.replace('step: 0.004', 'step: 0.064'));
  expect((await ended(file, 'fire')).phase).toBe('completed');
  const burnt = await rows('fire');
  expect(burnt).toHaveLength(13);
  // the threshold of site percolation is 0.593: far below it, no fire crosses the forest; far above it, every fire does
  const crossed = (from: number, to: number) =>
    burnt
      .filter((row) => Number(row['Density']) > from && Number(row['Density']) < to)
      .map((row) => row['Crossed']);
  expect(new Set(crossed(0.2, 0.45))).toEqual(new Set([false]));
  expect(new Set(crossed(0.75, 1))).toEqual(new Set([true]));

  expect((await ended(file, 'fire-again')).runs).toMatchObject({ done: 13, new: 0, reused: 13 });
  expect(await rows('fire-again')).toEqual(burnt);
});

test('the script of docs/guides/python.md submits a campaign and prints each of its rows', async () => {
  const page = readFileSync(join(ROOT, 'docs/guides/python.md'), 'utf8');
  const script = /```python\n([^`]+)```/.exec(page)![1]!;
  const command = JSON.stringify([process.execPath, MAIN]);
  writeFileSync(join(dev.folder, 'script.py'), script.replace('["npx", "foray"]', command));
  const { stdout } = await promisify(execFile)('python3', ['script.py'], {
    cwd: dev.folder,
    env: cleanEnv(),
  });
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(20);
  expect(new Set(lines.map((line) => line.split(' ')[0]))).toEqual(new Set(['0.4', '0.5', '0.6', '0.7']));
});

test('the reason of a failed run has the message of the Python program', async () => {
  const file = write('bare.yaml', (text) =>
    text.replace('{ from: 0.2, to: 0.996, step: 0.004 }', '[0, 0.5]').replace('seed: 7', 'seed: 8'),
  );
  expect((await ended(file, 'bare')).runs).toMatchObject({ done: 1, failed: 1 });
  const table = (await run('results', 'bare', '--format', 'csv', '--all')).stdout;
  expect(table).toContain('exit code 1: the forest has no tree: the density is too low for this side length');
});

test('a cancelled campaign ends its running programs', async () => {
  const file = write('large.yaml', (text) =>
    text.replace('design:', 'inputs: { Side: 2000, Neighbours: 8 }\ndesign:').replace('seed: 7', 'seed: 9'),
  );
  await client.submit(source(file), { id: 'large' });
  const programs = await until('programs run', () => {
    const found = programsOf(dev.pidOf('Model service'));
    return found.length > 0 ? found : undefined;
  });
  await client.cancel('large');
  await until('the campaign is cancelled', async () => (await client.status('large')).phase === 'cancelled');
  await until('its programs have ended', () => !programs.some(isRunning));
});

test('the service serves a model from "foray models new" without a restart, and a campaign can use this model', async () => {
  expect((await run('models', 'new', 'Coffee bar', '--command', '-o', 'own/coffee-bar')).code).toBe(0);
  await served('Coffee bar');
  const docs = readFileSync(join(ROOT, 'docs/guides/models.md'), 'utf8');
  const [, text] = /```yaml\n([^`]+)```/.exec(docs)!;
  const file = join(dev.folder, 'campaign.yaml');
  writeFileSync(file, text!.replace('replications: 10', 'replications: 1'));
  expect((await ended(file, 'coffee')).runs).toMatchObject({ total: 18, done: 18 });
});

test('status and the report tell that outputs have depended on earlier runs, with two values', async () => {
  const file = join(dev.folder, 'leaky.yaml');
  writeFileSync(file, 'campaign: leaky\nmodel: { name: Leaky }\nreplications: 12\nseed: 1\n');
  await ended(file, 'leaky');
  const difference = '"Y" was 24 after other runs of its process, and 8 in a new process';
  const { stdout } = await run('status', 'leaky');
  expect(stdout).toContain(difference);
  const report = join(dev.folder, 'leaky.html');
  expect((await run('report', 'leaky', '-o', report)).code).toBe(0);
  const shown = readFileSync(report, 'utf8').replaceAll('&quot;', '"').replaceAll('&#34;', '"');
  expect(shown).toContain(`Results may be wrong, because`);
  expect(shown).toContain(difference);
});

test('the waits of the clinic are those of the formula of Erlang', async () => {
  const text = readFileSync(join(CLINIC, 'campaign.yaml'), 'utf8');
  const file = join(dev.folder, 'clinic.yaml');
  writeFileSync(file, text.replace('[2, 3, 4]', '[2]').replace('{ from: 4, to: 11, step: 1 }', '[9]'));
  await ended(file, 'clinic');
  const waits = (await rows('clinic')).map((row) => Number(row['Mean wait']));
  expect(waits).toHaveLength(20);
  // M/M/2: the mean wait is s ρ² / (1 − ρ²), here with s = 10 minutes and ρ = 0.75 (Allen, Probability, Statistics and
  // Queueing Theory, 5.2.3)
  const exact = (10 * 0.75 ** 2) / (1 - 0.75 ** 2);
  const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
  const variance = waits.reduce((sum, wait) => sum + (wait - mean) ** 2, 0) / (waits.length - 1);
  expect(Math.abs(mean - exact) / Math.sqrt(variance / waits.length)).toBeLessThan(4);
});

/** The ids of the programs sim.py among the descendants of a process. */
function programsOf(pid: number): number[] {
  const children = childrenOf(pid);
  return [
    ...children.filter((child) => commandOf(child).endsWith('sim.py\0')),
    ...children.flatMap(programsOf),
  ];
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`);
}

/** The content of a file in /proc; an empty text if the process has ended in the meantime. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
