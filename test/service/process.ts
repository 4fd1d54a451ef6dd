import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { onCleanup } from './support.ts';

/** Starts the service in a separate process with a limit of open files. Without `models`, it has the shipped models. */
export async function startProcess(
  dataDir: string,
  models?: string,
  { openFiles }: { openFiles?: number } = {},
): Promise<{ child: ChildProcess; url: string }> {
  const entry = path.join(import.meta.dirname, 'entry.ts');
  const args = [process.execPath, entry, dataDir, ...(models ? [models] : [])];
  const limit = openFiles === undefined ? '' : `ulimit -n ${openFiles} && `;
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onCleanup(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: line.toString().trim() };
}

export async function killHard(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Limits the descriptors of a process. Returns a function that removes the limit. Linux only. */
export function limitDescriptors(pid: number, free: number): () => void {
  const taken = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let limit = 0;
  for (let unused = 0; unused < free || taken.has(limit); limit++) if (!taken.has(limit)) unused++;
  const limitTo = (most: string | number) =>
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most}:`]);
  const before = execFileSync('prlimit', ['--pid', String(pid), '--nofile', '--output=SOFT', '--noheadings']);
  limitTo(limit);
  return () => void limitTo(before.toString().trim());
}

/** The processes that a process has started. Linux only. */
export function pidsUnder(pid: number): number[] {
  return execFileSync('ps', ['-e', '-o', 'ppid=,pid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([parent]) => parent === pid)
    .map(([, child]) => child!);
}
