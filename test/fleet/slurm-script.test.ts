import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../service/support.ts';

const JOB = '4711';

/** Returns the Slurm script of the guide. Each task of a job array runs this script. */
function scriptOfGuide(): string {
  const guide = readFileSync(path.join(ROOT, 'docs/guides/several-machines.md'), 'utf8');
  const [script] = guide.split('```\n').filter((text) => text.startsWith('#!/bin/bash\n#SBATCH'));
  return script!;
}

/**
 * Prepares a task: a folder with the script, and small programs in place of Slurm and of the executor. `executor` is
 * the shell code that the executor runs. The test starts `script` with `options`.
 */
function task(executor: string) {
  const folder = temporaryFolder();
  const [programs, bin] = [path.join(folder, 'programs'), path.join(folder, 'node_modules', '.bin')];
  const program = (dir: string, name: string, text: string) => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(path.join(dir, name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  };
  const calls = path.join(folder, 'calls');
  program(
    programs,
    'scontrol',
    `echo "scontrol $*" >> ${calls}; echo 'StartTime=2026-01-01T10:00:00 EndTime=2026-01-01T14:00:00 X=1'`,
  );
  // the script sleeps between two attempts; this program returns at once, so that the test does not wait
  program(programs, 'sleep', ':');
  program(bin, 'foray', `echo "foray $*" >> ${calls}; attempt=$(grep -c ^foray ${calls}); ${executor}`);
  const script = path.join(folder, 'task.sh');
  writeFileSync(script, scriptOfGuide());
  const options = {
    cwd: folder,
    env: {
      PATH: `${programs}:${process.env.PATH}`,
      SLURM_JOB_ID: '4712',
      SLURM_ARRAY_JOB_ID: JOB,
      SLURM_CPUS_PER_TASK: '16',
    },
  };
  const lines = (name: string): string[] =>
    readFileSync(calls, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith(name));
  return { folder, script, options, lines, isHeld: () => lines('scontrol').includes(`scontrol hold ${JOB}`) };
}

describe("the guide's Slurm script", () => {
  test.each([
    {
      what: 'tries again until its service answers',
      executor: 'exit $((attempt < 3 ? 3 : 0))',
      attempts: 3,
      code: 0,
      held: false,
    },
    {
      what: 'holds the rest of the array if its service does not answer in 20 attempts',
      executor: 'exit 3',
      attempts: 20,
      code: 3,
      held: true,
    },
    {
      what: 'whose executor is refused holds the rest of the array at once',
      executor: 'exit 2',
      attempts: 1,
      code: 2,
      held: true,
    },
    {
      what: 'tries again until its node is repaired',
      executor: 'exit $((attempt < 3 ? 4 : 0))',
      attempts: 3,
      code: 0,
      held: false,
    },
    ...[4, 126, 127].map((code) => ({
      what: `ends after 20 attempts on a faulty node (exit code ${code}), and does not hold the array`,
      executor: `exit ${code}`,
      attempts: 20,
      code,
      held: false,
    })),
    {
      what: 'whose executor is killed does not hold the array',
      executor: 'kill -KILL $$',
      attempts: 1,
      code: 137,
      held: false,
    },
  ])('a task $what', ({ executor, attempts, code, held }) => {
    const { script, options, lines, isHeld } = task(executor);
    expect(spawnSync('bash', [script], options).status).toBe(code);
    expect(lines('foray')).toEqual(
      Array(attempts).fill(
        `foray executor --name ${hostname()}-4712 --slots 16 --ends 2026-01-01T14:00:00 --leave-when-idle 5m`,
      ),
    );
    expect(isHeld()).toBe(held);
  });

  test('a task that gets a signal from Slurm drains its executor, and ends when the executor ends', async () => {
    const { folder, script, options, lines, isHeld } = task(
      `trap 'touch drained; exit 0' TERM; touch started; while true; do read -t 0.1 < <(:) || :; done`,
    );
    const child = spawn('bash', [script], options);
    await until('the executor works', () => existsSync(path.join(folder, 'started')));
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(existsSync(path.join(folder, 'drained'))).toBe(true);
    expect([lines('foray').length, isHeld()]).toEqual([1, false]);
  });
});
