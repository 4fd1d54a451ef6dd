import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { MARK } from '../../../src/service/environment.ts';
import { Loop, type LoopLimits } from '../../../src/service/executors/loop.ts';
import { OwnCopy } from '../../../src/service/models/own-copy.ts';
import type { Job, Report } from '../../../src/service/executors/protocol.ts';
import { Workplace } from '../../../src/service/executors/workplace.ts';
import { ContentFiles } from '../../../src/service/files/content.ts';
import { templateOf } from '../../../src/service/models/declaration.ts';
import { describeModel } from '../../../src/service/models/describe.ts';
import { placeOf, readCode } from '../../../src/service/models/folder.ts';
import { programOf } from '../../../src/service/models/program.ts';
import { isRunning } from '../../support/cli.ts';
import { writeLoopModel } from '../command-model.ts';
import { onCleanup, temporaryFolder, until } from '../support.ts';

/** When a process of a program that stays loaded ends, and what the next process finds out. */

const MB = 2 ** 20;
/** Limits that no test reaches. */
const HIGH: LoopLimits = { runs: 10_000, age: 600_000, agedRuns: 20, idle: 600_000 };

beforeAll(() => {
  // an executor gets its mark from the service
  process.env[MARK] = `loop-limits-${process.pid}`;
});

async function loopOf(
  model: Parameters<typeof writeLoopModel>[2],
  limits: Partial<LoopLimits>,
  memory = 10_000 * MB,
) {
  const folder = temporaryFolder();
  writeLoopModel(folder, 'Loop', model);
  const entry = path.join(folder, 'Loop', 'model.yaml');
  const place = placeOf(entry, []);
  const code = await readCode(place);
  const { declaration } = await describeModel(place);
  const files = new ContentFiles(temporaryFolder());
  files.prepare();
  const reports: Report[] = [];
  const guarded = { mark: `${MARK}=${process.env[MARK]}`, memory, countOwnMemory: () => {} };
  const workplace = new Workplace(files, guarded, (report) => reports.push(report));
  const copy = new OwnCopy(code, workplace.copies);
  await copy.prepare();
  const loop = new Loop(programOf(place).command, copy, workplace, { ...HIGH, ...limits });
  onCleanup(() => loop.end());
  const job = { runId: 'run', versionId: 'version', code, template: templateOf(declaration) };
  return {
    loop,
    /** The differences that audits have found. */
    leaks: () => reports.flatMap((report) => (report.kind === 'leaky' ? [report.difference] : [])),
    /** The value of the output, as a text. */
    run: async (N: number, more: Partial<Job> = {}): Promise<string> => {
      const inputs = { N: String(N), Large: '1', File: '' };
      const { outputs } = await loop.run({ ...job, inputs, ...more }, () => {}, undefined);
      return String(JSON.parse(outputs['Out']!));
    },
  };
}

const PID = { type: 'STRING', body: 'answer(String(process.pid));' };

describe('a process of a program that stays loaded', () => {
  test('ends when it had no run for some time, and its folder with it', async () => {
    const { run } = await loopOf(
      { type: 'STRING', body: `answer(process.pid + ' ' + process.cwd());` },
      { idle: 100 },
    );
    const [pid, folder] = (await run(1)).split(' ') as [string, string];
    await until(
      () => (!isRunning(Number(pid)) && !existsSync(folder)) || undefined,
      'the end of the idle process',
    );
    const [next] = (await run(2)).split(' ');
    expect(next).not.toBe(pid);
  });

  test('ends after its last run, by their number and by its age', async () => {
    for (const limits of [{ runs: 3 }, { age: 0, agedRuns: 3 }]) {
      const clean = await loopOf({ body: 'answer(inputs.N);' }, limits);
      for (let N = 1; N <= 6; N += 1) expect(await clean.run(N)).toBe(String(N));
      expect(clean.leaks()).toEqual([]);
      // a loop ends all processes that stem from this one
      await clean.loop.end();
      const { run, loop } = await loopOf(PID, limits);
      const found = [];
      for (let N = 1; N <= 4; N += 1) found.push(await run(N));
      expect(new Set(found.slice(0, 3)).size).toBe(1);
      expect(found[3]).not.toBe(found[0]);
      await loop.end();
    }
  });

  test('ends when its memory has doubled and is over half of what a run may take', async () => {
    const model = {
      type: 'STRING',
      before: 'const taken = [];',
      body: `taken.push(Buffer.alloc(inputs.N * ${MB}, 1)); answer(String(process.pid));`,
    };
    // after the first run, a process of Node takes about 50 MB
    const { run, loop } = await loopOf(model, {}, 500 * MB);
    const pids = [];
    for (let n = 1; n <= 12; n += 1) pids.push(await run(30));
    expect(new Set(pids.slice(0, 11)).size).toBe(1);
    expect(pids[11]).not.toBe(pids[0]);
    await loop.end();
    const small = await loopOf(model, {}, 10_000 * MB);
    const same = new Set<string>();
    for (let n = 1; n <= 12; n += 1) same.add(await small.run(30));
    expect(same.size).toBe(1);
  });
});

describe('a program that waits in vain before it is ready', () => {
  /** A program that notes each start. While the file `hang` exists, it waits for the file `end`, and fails. */
  async function hanging() {
    const folder = temporaryFolder();
    const [starts, hang, end] = ['starts', 'hang', 'end'].map((name) => path.join(folder, name)) as [
      string,
      string,
      string,
    ];
    const time = { now: 0 };
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (time.now += 0.001));
    onCleanup(() => clock.mockRestore());
    const before = `writeFileSync(${JSON.stringify(starts)}, 'x', { flag: 'a' });
      if (existsSync(${JSON.stringify(hang)})) {
        while (!existsSync(${JSON.stringify(end)})) await new Promise((resolve) => setTimeout(resolve, 20));
        process.exit(3);
      }`;
    const { run, loop } = await loopOf({ before, body: 'answer(inputs.N);' }, {});
    const started = (): number => (existsSync(starts) ? readFileSync(starts, 'utf8').length : 0);
    return {
      run,
      loop,
      started,
      time,
      isHanging: (is: boolean): void => (is ? writeFileSync(hang, '') : rmSync(hang)),
      /** A run whose program waits for five minutes by the clock of the executor. */
      runInVain: async (N: number, more?: Partial<Job>): Promise<void> => {
        rmSync(end, { force: true });
        const before = started();
        const failed = expect(run(N, more)).rejects.toThrow('ended with exit code 3');
        await until(() => started() > before || undefined, 'the start of the program');
        time.now += 300_000;
        writeFileSync(end, '');
        await failed;
      },
    };
  }

  test('is not started again for as long: the runs fail at once', async () => {
    const { run, runInVain, isHanging, started, time } = await hanging();
    isHanging(true);
    await runInVain(1);
    time.now += 299_000;
    await expect(run(2)).rejects.toThrow('the model cannot be loaded: the command ended with exit code 3');
    expect(started()).toBe(1);
    isHanging(false);
    time.now += 1_001;
    expect(await run(3)).toBe('3');
  });

  test('and has been ready before is soon started again, because the machine may have been slow', async () => {
    const { run, loop, runInVain, isHanging, time } = await hanging();
    expect(await run(1)).toBe('1');
    await loop.end();
    isHanging(true);
    await runInVain(2);
    isHanging(false);
    time.now += 5_001;
    expect(await run(3)).toBe('3');
  });

  test('on another machine than the service loses no run', async () => {
    const { run, runInVain, isHanging } = await hanging();
    isHanging(true);
    await runInVain(1, { isElsewhere: true });
    await expect(run(2, { isElsewhere: true })).rejects.toMatchObject({ name: 'Deferred', isLasting: true });
  });
});

describe('the audit', () => {
  test('finds a leak that only one of many inputs causes, and each further run has its own process', async () => {
    const { run, leaks } = await loopOf(
      { before: 'let spoilt = 0;', body: 'if (inputs.N === 7) spoilt = 1000; answer(inputs.N + spoilt);' },
      { runs: 20 },
    );
    for (let N = 1; N <= 20; N += 1) await run(N);
    expect(leaks()).toEqual([]);
    expect(await run(21)).toBe('21');
    expect(leaks()).toEqual(['"Out" was 1020 after other runs of its process, and 20 in a new process']);
    for (const N of [7, 8]) expect(await run(N)).toBe(N === 7 ? '1007' : '8');
  });

  test('says nothing about a model that is clean, in many processes', async () => {
    const { run, leaks } = await loopOf(
      {
        before: 'const cache = new Map();',
        body: `if (!cache.has(inputs.N % 5)) cache.set(inputs.N % 5, Math.sin(inputs.N % 5));
          answer(cache.get(inputs.N % 5) + inputs.N);`,
      },
      { runs: 11 },
    );
    for (let N = 1; N <= 60; N += 1) expect(await run(N)).toBe(String(Math.sin(N % 5) + N));
    expect(leaks()).toEqual([]);
  });
});
