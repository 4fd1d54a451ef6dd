import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { memoryOf } from '../models/system-inputs.ts';
import { modelEnvironment } from './environment.ts';
import { type Job, OUT_OF_MEMORY } from './protocol.ts';
import type { Stream } from './run-log.ts';

/** What a process that runs models is started with. */
export interface ModelProcessOptions {
  filesDir: string;
  /** Most memory that its run may take, in MB. */
  memory: number;
  /** Is given what the model of a run prints, a line at a time, numbered from 1. */
  onLine: (line: string, number: number, runId: string) => void;
}

/** The memory that a run may take, in MB: half of the machine's for all executors, so that the rest goes on. */
export function memoryShare(executors: number): number {
  return Math.floor(
    Math.min(process.constrainedMemory() || Infinity, os.totalmem()) / 2 / executors / 2 ** 20,
  );
}

/** Most memory that a job may take, in MB: what is given, or less where its `{MAX_MEMORY_MB}` says so. */
export function memoryFor({ inputs }: Job, most: number): number {
  return Math.min(most, memoryOf(inputs) ?? Infinity);
}

/**
 * Starts a program of ours that runs a model; its first act is to call `guardProcess`. (Threads would not do: V8 ends the
 * whole process when one of them needs more memory than there is.) It cannot be started where the system has no descriptors,
 * processes or memory left: then it ends before it has said that it is ready, mostly with the event `error`.
 *
 * @throws Error of the system, where Node learns of that at once
 */
export function startModelProcess(
  program: string,
  { filesDir, memory }: ModelProcessOptions,
  onPrint: (stream: Stream, text: string) => void,
): ChildProcess {
  const child = fork(program, [filesDir, String(process.pid), String(memory)], {
    execArgv: [`--max-old-space-size=${memory}`],
    env: modelEnvironment(),
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // in a group of its own, so that a Ctrl-C reaches the service alone
    detached: true,
  });
  // without descriptors for them there are no streams
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => onPrint(stream, text));
  }
  // however it ended, what it has started ends with it
  child.on('exit', () => child.pid !== undefined && killGroup(child.pid));
  return child;
}

/**
 * Resolves when all that a process had printed before its last message, or before its end, has been read: it is in the pipes
 * by then, and each turn of the event loop empties them.
 */
export async function printedIsRead(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** Why a run failed whose process has ended by itself. */
export function reasonOfExit(signal: NodeJS.Signals | null, memory: number): string {
  // V8 aborts a process at the limit of its heap
  return signal === 'SIGABRT' || signal === OUT_OF_MEMORY
    ? `it needed more memory than it may take: ${memory} MB`
    : crashed('it ended its process');
}

export function crashed(why: string): string {
  return `the model crashed: ${why}`;
}

/** Resolves when the process is gone. */
export async function killModelProcess(child: ChildProcess): Promise<void> {
  // without a process id it was never started
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  killGroup(child.pid);
  await exit;
}

/** The process group that a process leads. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // nobody is left in it, or on macOS only processes that have ended
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
