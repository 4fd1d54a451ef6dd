import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../service/support.ts';

const JOB = '4711';

/** The script that the guide has for a task of a job array. */
function scriptOfGuide(): string {
  const guide = readFileSync(path.join(ROOT, 'docs/guides/several-machines.md'), 'utf8');
  const [script] = guide.split('```\n').filter((text) => text.startsWith('#!/bin/bash\n#SBATCH'));
  return script!;
}

/** Runs a task. Small programs take the place of Slurm and of the executor. */
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
  // this `sleep` does not wait between two attempts
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

test.each([
  {
    what: 'whose service is there after a while works',
    executor: 'exit $((attempt < 3 ? 3 : 0))',
    attempts: 3,
    code: 0,
    held: false,
  },
  {
    what: 'whose service does not come holds the others',
    executor: 'exit 3',
    attempts: 20,
    code: 3,
    held: true,
  },
  { what: 'that is refused holds the others at once', executor: 'exit 2', attempts: 1, code: 2, held: true },
  {
    what: 'whose node is repaired after a while works',
    executor: 'exit $((attempt < 3 ? 4 : 0))',
    attempts: 3,
    code: 0,
    held: false,
  },
  ...[4, 126, 127].map((code) => ({
    what: `whose node stays bad (${code}) waits on it, and holds nothing`,
    executor: `exit ${code}`,
    attempts: 20,
    code,
    held: false,
  })),
  { what: 'that is killed holds nothing', executor: 'kill -KILL $$', attempts: 1, code: 137, held: false },
])("a task of the guide's Slurm script $what", ({ executor, attempts, code, held }) => {
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
