import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import type { RunLog } from '../../src/api/extensions.ts';
import type { Run, RunState } from '../../src/api/resources.ts';
import { KEPT_LOG } from '../../src/text/log-tail.ts';
import { writeCommandModel } from '../service/command-model.ts';
import { killHard, startProcess } from '../service/process.ts';
import { clientOf, requestRun, simulation, stateOf, temporaryFolder, until } from '../service/support.ts';
import { seeded } from '../support/durations.ts';
import { isFull, report, seeds } from '../support/seeds.ts';

/**
 * When a run has ended, in any way, no process, no temporary file and no text of it beyond the kept log remains. The
 * service is killed once meanwhile.
 */

const RUNS = isFull ? 200 : 13;
/** The time limit of a run, s. Runs that end by themselves need much less. */
const LIMIT = 20;

/** How a run ends, and the status that it then has. */
const ends = [
  { code: `say({ outputs: { Out: inputs.N } });`, status: 'COMPLETED' },
  { code: `process.exitCode = 3;`, status: 'FAILED' },
  { code: `process.kill(process.pid, 'SIGSEGV');`, status: 'FAILED' },
  { code: `process.kill(process.ppid, 'SIGKILL');`, status: 'FAILED' },
  { code: `setInterval(() => {}, 1000);`, status: 'STOPPED' },
  { code: `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`, status: 'STOPPED' },
  // the last one reaches the time limit
  { code: `setInterval(() => {}, 1000);`, status: 'FAILED' },
] as const;

/** What a run leaves behind; the bits of a number choose from it. */
const leaves = [
  `sleep({});`,
  `sleep({ detached: true });`,
  `for (const words of [['sh'], ['env', '-i', 'setsid', 'sh']]) {
     const [program, ...first] = [...words, '-c', 'sleep ' + long + ' & sleep ' + long + ' & exit'];
     spawn(program, first, { stdio: 'ignore', detached: true }).unref();
   }`,
  `writeFileSync(os.tmpdir() + '/left-behind.txt', '');`,
  `mkdirSync('left-behind/deep', { recursive: true }); symlinkSync('/nowhere', 'left-behind/deep/link');`,
  `writeFileSync(process.env.FORAY_MODEL_DIR + '/left-behind.txt', '');`,
  `mkdirSync('locked'); writeFileSync('locked/left-behind.txt', ''); chmodSync('locked', 0);`,
];

const writeLeaver = (folder: string, marks: string, long: string): void =>
  writeCommandModel(
    folder,
    'Leaver',
    `const { spawn } = await import('node:child_process');
     const { chmodSync, mkdirSync, symlinkSync } = await import('node:fs');
     const { default: os } = await import('node:os');
     const long = '${long}';
     const sleep = (more) => spawn('sleep', [long], { stdio: ['ignore', 'inherit', 'inherit'], ...more }).unref();
     const print = (line) => new Promise((done) => process.stdout.write(line + '\\n', done));
     // the text of the program, which the service keeps, has no canary
     await print(['canary', 'first', inputs.N].join('-'));
     for (let line = 0; line < 300; line += 1) await print('line ' + line);
     ${leaves.map((code, at) => `if (Math.floor(inputs.N / 100) & ${2 ** at}) { ${code} }`).join('\n     ')}
     await print(['canary', 'last', inputs.N, ''].join('-'));
     writeFileSync('${marks}/' + inputs.N, '');
     switch (inputs.N % 100) {
       ${ends.map(({ code }, at) => `case ${at}: ${code} break;`).join('\n       ')}
     }`,
  );

function processesWith(text: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

const namesIn = (folder: string): string[] => readdirSync(folder, { recursive: true }) as string[];

/** Whether a folder has a file of a run. A folder that disappears while it is read has one. */
function hasLeft(folder: string): boolean {
  try {
    return namesIn(folder).some((name) => /left-behind|locked/.test(name));
  } catch {
    return true;
  }
}

function textsIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.map(({ parentPath, name }) => readFileSync(path.join(parentPath, name), 'latin1')).join('\n');
}

test.each(seeds(1, 5))(
  'nothing is left of runs that end in any way, seed %i',
  async (seed) => {
    const random = seeded(seed);
    const [models, marks, temporary, dataDir] = Array.from({ length: 4 }, temporaryFolder) as [
      string,
      string,
      string,
      string,
    ];
    // nobody else sleeps for so long
    const long = String(700_000 + 1_000 * seed + (process.pid % 1_000));
    writeLeaver(models, marks, long);
    process.env['TMPDIR'] = temporary;
    const start = () => startProcess(dataDir, models, { flags: ['--run-timeout', String(LIMIT)] });
    const first = await start();
    let client = clientOf(first.url);
    const version = await client.latest('Leaver');

    // each number has the way to end, the things to leave, and a counter; only the first run reaches the time limit
    const numbers = Array.from({ length: RUNS }, (_, at) => {
      const end = at === 0 ? ends.length - 1 : at % (ends.length - 1);
      return end + 100 * Math.floor(random() * 2 ** leaves.length) + 100 * 2 ** leaves.length * at;
    });
    const runs: Run[] = [];
    for (const N of numbers) runs.push((await requestRun(client, version, { N })).body);
    const endOf = (at: number) => ends[numbers[at]! % 100]!;
    const stop = (at: number) =>
      client.post(`/versions/${version}/runs/stop`, simulation({ N: numbers[at]! }));
    const states = () => Promise.all(runs.map((run) => stateOf(client, run)));
    const stopRunning = async (all: RunState[]): Promise<void> => {
      for (const [at, { status }] of all.entries())
        if (
          status === 'RUNNING' &&
          endOf(at).status === 'STOPPED' &&
          namesIn(marks).includes(String(numbers[at]))
        )
          await stop(at);
    };

    const killAfter = 1 + Math.floor((random() * RUNS) / 2);
    await until(async () => {
      await stopRunning(await states());
      return namesIn(marks).length >= killAfter || undefined;
    }, `${killAfter} runs have begun`);
    await killHard(first.child);
    const { child, url } = await start();
    client = clientOf(url);
    const final = await until(async () => {
      const all = await states();
      await stopRunning(all);
      return all.every(({ status }) => !['FRESH', 'RUNNING'].includes(status)) ? all : undefined;
    }, 'the end of all runs');
    expect(final.map(({ status }, at) => [numbers[at], status])).toEqual(
      numbers.map((N, at) => [N, endOf(at).status]),
    );

    await until(() => processesWith(long).length === 0 || undefined, 'no process to be left');
    await until(() => ![dataDir, temporary].some(hasLeft) || undefined, 'no file of a run to be left');
    for (const [at, run] of runs.entries()) {
      const { body } = await client.get<RunLog>(`/versions/${version}/runs/${run.id}/log`);
      const text = final[at]!.status === 'FAILED' ? body.lines.join('\n') : '';
      expect(text.length).toBeLessThanOrEqual(KEPT_LOG.characters);
      expect(text).not.toContain('canary-first');
    }
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(namesIn(path.join(dataDir, 'files', 'executors'))).toEqual([]);
    expect(namesIn(path.join(dataDir, 'files', 'unfinished'))).toEqual([]);
    expect(namesIn(temporary)).toEqual([]);
    const kept = new Set(textsIn(dataDir).match(/canary-(first|last-\d+)-/g));
    const failed = numbers.filter((_, at) => final[at]!.status === 'FAILED');
    // what a run prints last may be lost if it kills its executor
    const isSure = (N: number): boolean => !ends[N % 100]!.code.includes('ppid');
    const linesOf = (those: readonly number[]) => those.map((N) => `canary-last-${N}-`);
    expect(linesOf(failed)).toEqual(expect.arrayContaining([...kept]));
    expect([...kept]).toEqual(expect.arrayContaining(linesOf(failed.filter(isSure))));
    const shares = ends.map(
      ({ status }, end) => `${status} ${numbers.filter((N) => N % 100 === end).length}`,
    );
    report(`left behind, seed ${seed}: nothing of ${RUNS} runs (${shares.join(', ')})`);
  },
  isFull ? 1_200_000 : 240_000,
);
