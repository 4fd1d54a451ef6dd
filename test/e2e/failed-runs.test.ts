import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { printLog } from '../../src/cli/log.ts';
import type { ExplainedRun, Explanation, FailureGroup } from '../../src/client/index.ts';
import { command } from '../support/campaigns.ts';
import type { Ran } from '../support/cli.ts';
import { testFolder } from '../support/test-folder.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

/** Checks what a modeller sees of a failed run, in all places where foray shows it. */

// folder names may contain blanks
const kept = join(testFolder(), 'my work');

const PROGRAM = `import { appendFileSync, readFileSync } from 'node:fs';
const { N } = JSON.parse(readFileSync(0, 'utf8'));
for (let line = 1; line <= 30; line += 1) console.log('step ' + line + ' <b>of</b> ' + N);
function logarithm(n) { if (n < 0) throw new RangeError('math domain error'); return Math.log(n); }
function simulate(n) { return logarithm(n - 100); }
function main(n) { return simulate(n); }
console.log(JSON.stringify({ outputs: { Out: N < 90 ? N : main(N) } }));`;

let world: World;
let folder: string;
/** The log of the model service. */
let log = '';
beforeAll(async () => {
  const model = testFolder();
  writeFileSync(
    join(model, 'model.yaml'),
    `name: Failing
description: ''
command: node sim.mjs
inputs: [{name: N, type: INTEGER, default: 1}]
outputs: [{name: Out, type: DOUBLE}]
`,
  );
  writeFileSync(join(model, 'sim.mjs'), PROGRAM);
  const stream = new PassThrough().on('data', (lines: Buffer) => (log += lines.toString()));
  world = await startWorld({ models: [model], service: { keepFailed: kept, log: stream } });
  await world.startWorker();
  ({ folder } = world);
  symlinkSync(model, join(folder, 'model'));
  writeFileSync(
    join(folder, 'c.yaml'),
    'campaign: c\nmodel: {name: Failing}\ndesign: {grid: {N: [1, 3, 5, 91, 93, 95, 97, 99]}}\nfailures: {attempts: 2, backoff: 0.1}\n',
  );
  // three runs complete, five fail
  submitted = await run('submit', 'c.yaml', '--id', 'c', '--watch');
  [group] = (JSON.parse((await run('status', 'c', '--failures', '--json')).stdout) as Status).failures;
  [explained] = (JSON.parse((await run('explain', 'c', point(), '--json')).stdout) as Explanation).runs;
});
afterAll(() => world.close());

let submitted: Ran;
const run = (...args: string[]) => command(world, ...args);

interface Status {
  failures: FailureGroup[];
}

let group: FailureGroup | undefined;
let explained: ExplainedRun | undefined;
const point = (): string => group!.sample.point;

const STACK = /RangeError: math domain error\n.*at logarithm .*\n.*at simulate .*\n.*at main /;

describe('the log of a failed run', () => {
  test('is shown for the last failure at the end of submit --watch', () => {
    expect(submitted.stderr).toMatch(
      /Last failure: .*exit code 1.* \(point [0-9a-f]+, replication 1\)\n {2}\| … /,
    );
    expect(submitted.stderr).toContain('  |     at ');
  });

  test('is shown by explain after the reason: only its last lines, or all lines with --log', async () => {
    const { code, stdout } = await run('explain', 'c', point());
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/Replication 1\. It failed: the command ended with exit code 1/),
    ]);
    expect(stdout).toMatch(/Earlier attempts that failed\n.*\n.*the command ended with exit code 1/);
    expect(stdout.replaceAll(/^ +\| /gm, '')).toMatch(STACK);
    expect(stdout).not.toContain('step 2 ');
    const all = await run('explain', 'c', point(), '--log');
    expect(all.stdout).toMatch(/\| step 1 <b>of<\/b> 9\d\n/);
    expect(explained!.log).toMatchObject({
      lines: expect.arrayContaining(['RangeError: math domain error']),
      omitted: 0,
    });
  });

  test('is shown by status --failures beside each cause', async () => {
    expect([group!.count, group!.log!.lines]).toEqual([
      5,
      expect.arrayContaining(['RangeError: math domain error']),
    ]);
    expect((await run('status', 'c', '--failures')).stdout).toMatch(
      /5 × the command.*\n {6}\| … \d+ lines before\n {6}\|/,
    );
  });

  test('has the number of lines before the shown ones', () => {
    const shown: string[] = [];
    for (const omitted of [0, 1_200]) {
      printLog({ lines: ['a', 'b'], omitted }, { lines: 1 }, (line) => shown.push(line));
    }
    expect(shown).toEqual(['  | … 1 line before', '  | b', '  | … 1,201 lines before', '  | b']);
  });

  test('is in the report as plain text, not as HTML', async () => {
    await run('report', 'c', '-o', 'c.html');
    const page = readFileSync(join(folder, 'c.html'), 'utf8');
    const pre = /<summary>The last output of the run<\/summary>[^]*?<pre[^>]*>([^]*?)<\/pre>/.exec(page)![1]!;
    expect(pre).toMatch(STACK);
    expect(pre).toContain('step 30 &#60;b&#62;of');
  });

  test('is in the log of the model service, with the id of the run', async () => {
    await until('the log has the run', () =>
      log
        .split('\n')
        .some((line) => line.includes(`"run":"${explained!.run}"`) && line.includes('at simulate')),
    );
  });
});

test('explain --command prints the command that repeats the run by hand', async () => {
  const { code, stdout } = await run('explain', 'c', point(), '--command');
  expect([code, stdout.trim().split('\n')]).toEqual([
    0,
    [expect.stringMatching(/^sh '.*\/my work\/[0-9a-f-]{36}\/command'$/)],
  ]);
  const again = spawnSync('sh', ['-c', stdout], { encoding: 'utf8' });
  expect([again.status, again.stderr]).toEqual([1, expect.stringMatching(STACK)]);
});

test('explain --command says what to do if there is nothing to repeat', async () => {
  const { stdout } = await run('results', 'c', '--format', 'jsonl');
  const done = JSON.parse(stdout.split('\n')[0]!) as { point: string };
  expect(await run('explain', 'c', done.point, '--command')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--keep-failed/),
  });
});

describe('models check', () => {
  test('runs a model with other inputs, and shows the whole stack when it fails', async () => {
    const fine = await run('models', 'check', 'model', '--input', 'N=7');
    expect([fine.code, fine.stdout]).toEqual([
      0,
      expect.stringMatching(/It ran with N = 7 in .*\n {2}Out {2}7\n/),
    ]);
    const failed = await run('models', 'check', 'model', '--input', 'N=95');
    expect([failed.code, failed.stderr]).toEqual([2, expect.stringMatching(STACK)]);
    expect(failed.stderr).toMatch(
      /step 1 (.|\n)*failed when it was run with N = 95: the command ended with exit code 1/,
    );
  });

  test.each([
    [['--input', 'M=7'], /has no input "M"/],
    [['--input', 'N'], /NAME=VALUE/],
    [['--file', 'N=none.csv'], /takes no file none\.csv/],
  ])('refuses %j', async (options, why) => {
    expect(await run('models', 'check', 'model', ...options)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(why),
    });
  });
});
