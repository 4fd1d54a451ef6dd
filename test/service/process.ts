import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { cleanEnv, MAIN } from '../support/cli.ts';
import { KEY, onCleanup } from './support.ts';

/**
 * Starts the service in a separate process with two executors and the shipped models.
 *
 * @param models - a folder with more models
 * @param openFiles - the largest number of open files
 * @param flags - more flags of `foray service`
 */
export async function startProcess(
  dataDir: string,
  models?: string,
  { openFiles, flags = [] }: { openFiles?: number; flags?: readonly string[] } = {},
): Promise<{ child: ChildProcess; url: string }> {
  const args = ['service', '--port', '0', '--data', dataDir, '--executors', '2', ...flags];
  if (models !== undefined) args.push('--models', models);
  const limit = openFiles === undefined ? '' : `ulimit -n ${openFiles} && `;
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', process.execPath, MAIN, ...args], {
    env: { ...cleanEnv(), FORAY_API_KEY: KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onCleanup(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: /http:\S+/.exec(line.toString())![0] };
}

export async function killHard(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Lets a process open only `free` more descriptors. Returns a function that restores the earlier limit. Linux only. */
export function limitDescriptors(pid: number, free: number): () => void {
  const listed = (): number[] => readdirSync(`/proc/${pid}/fd`).map(Number);
  const first = listed();
  const before = execFileSync('prlimit', ['--pid', String(pid), '--nofile', '--output=SOFT', '--noheadings']);
  // a descriptor in only one of two listings is open only for a moment, for example while the process reads a folder
  const taken = new Set(first).intersection(new Set(listed()));
  let limit = 0;
  for (let unused = 0; unused < free || taken.has(limit); limit++) if (!taken.has(limit)) unused++;
  const limitTo = (most: string | number) =>
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most}:`]);
  limitTo(limit);
  return () => void limitTo(before.toString().trim());
}

/** The ids of the child processes of a process. */
export function pidsUnder(pid: number): number[] {
  return execFileSync('ps', ['-e', '-o', 'ppid=,pid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([parent]) => parent === pid)
    .map(([, child]) => child!);
}
