import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CampaignStatus } from '../../src/client/index.ts';
import { cleanEnv, type Dev, foray, isRunning, MAIN, ROOT, startDev } from '../support/cli.ts';
import { until } from '../support/until.ts';

/** The service runs a Python simulator as docs/guides/models.md describes. The campaigns use this simulator. */

const EXAMPLE = join(ROOT, 'examples/forest-fire');
const CAMPAIGN = join(EXAMPLE, 'campaign.yaml');

let dev: Dev;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'foray-python-'));
  mkdirSync(join(folder, 'own'));
  dev = await startDev({ folder, args: ['--models', join(EXAMPLE, 'model'), '--models', 'own'] });
});
afterAll(() => dev.stop());

const run = (...args: string[]) => foray(dev.folder, args);

async function status(id: string): Promise<CampaignStatus> {
  return JSON.parse((await run('status', id, '--json')).stdout) as CampaignStatus;
}

async function rows(id: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await run('results', id, '--format', 'jsonl');
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Writes the campaign of the example with a changed text. Returns the path of the file. */
function write(name: string, change: (text: string) => string): string {
  const file = join(dev.folder, name);
  writeFileSync(file, change(readFileSync(CAMPAIGN, 'utf8')));
  return file;
}

test('explain and "models check" show the whole traceback of a failed run', async () => {
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
  await until('the model is served', async () => (await run('models', 'Seir')).code === 0);
  writeFileSync(join(dev.folder, 'seir.yaml'), 'campaign: seir\nmodel: {name: Seir}\ninputs: {N: 3}\n');
  const { stderr } = await run('submit', 'seir.yaml', '--id', 'seir', '--watch');
  expect(stderr).toContain('  | ValueError: math domain error');
  const [{ point }] = (await rows('seir')) as [{ point: string }];
  const { stdout } = await run('explain', 'seir', point, '--log');
  const shown = stdout.replaceAll(/^ +\| /gm, '');
  expect(shown).toMatch(
    /simulating 3\nTraceback [^]*sim\.py", line 10, in <module>[^]*line 9, in main[^]*line 6, in simulate[^]*line 4, in logarithm[^]*ValueError: math domain error/,
  );
  const checked = await run('models', 'check', model, '--input', 'N=3');
  expect([checked.code, checked.stderr]).toEqual([2, expect.stringMatching(/line 4, in logarithm/)]);
});

test('the example runs with 50 of its 200 points, and the next campaign reuses the runs', async () => {
  const file = write('fire.yaml', (text) => text.replace('step: 0.004', 'step: 0.016'));
  const first = await run('submit', file, '--id', 'fire', '--watch');
  expect(first.code).toBe(0);
  const burnt = await rows('fire');
  expect(burnt).toHaveLength(50);
  // the threshold of site percolation is 0.593: far below it, no fire crosses the forest; far above it, every fire does
  const crossed = (from: number, to: number) =>
    burnt
      .filter((row) => Number(row['Density']) > from && Number(row['Density']) < to)
      .map((row) => row['Crossed']);
  expect(new Set(crossed(0.2, 0.45))).toEqual(new Set([false]));
  expect(new Set(crossed(0.75, 1))).toEqual(new Set([true]));

  expect((await run('submit', file, '--id', 'fire-again', '--watch')).code).toBe(0);
  expect((await status('fire-again')).runs).toMatchObject({ done: 50, new: 0, reused: 50 });
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
  await run('submit', file, '--id', 'bare', '--watch');
  const table = (await run('results', 'bare', '--format', 'csv', '--all')).stdout;
  expect(table).toContain('exit code 1: the forest has no tree: the density is too low for this side length');
  expect((await status('bare')).runs).toMatchObject({ done: 1, failed: 1 });
});

test('a cancelled campaign ends its running programs', async () => {
  const file = write('large.yaml', (text) =>
    text.replace('design:', 'inputs: { Side: 2000, Neighbours: 8 }\ndesign:').replace('seed: 7', 'seed: 9'),
  );
  await run('submit', file, '--id', 'large');
  const programs = await until('programs run', () => {
    const found = programsOf(dev.pidOf('Model service'));
    return found.length > 0 ? found : undefined;
  });
  await run('cancel', 'large');
  await until('the campaign is cancelled', async () => (await status('large')).phase === 'cancelled');
  await until('its programs have ended', () => !programs.some(isRunning));
});

test('the service serves a model from "foray models new" without a restart, and a campaign can use this model', async () => {
  expect((await run('models', 'new', 'Coffee bar', '--command', '-o', 'own/coffee-bar')).code).toBe(0);
  await until('the model is served', async () => (await run('models', 'Coffee bar')).code === 0);
  await until('foray dev says so', () => dev.said().includes('Models have changed: Coffee bar, version 1'));
  const docs = readFileSync(join(ROOT, 'docs/guides/models.md'), 'utf8');
  const [, text] = /```yaml\n([^`]+)```/.exec(docs)!;
  writeFileSync(join(dev.folder, 'campaign.yaml'), text!.replace('replications: 10', 'replications: 2'));
  expect((await run('submit', 'campaign.yaml', '--id', 'coffee', '--watch')).code).toBe(0);
  expect((await status('coffee')).runs).toMatchObject({ total: 36, done: 36 });
});

/** The ids of the Python processes among the descendants of a process. */
function programsOf(pid: number): number[] {
  const children = childrenOf(pid);
  return [...children.filter((child) => /python/.test(commandOf(child))), ...children.flatMap(programsOf)];
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
