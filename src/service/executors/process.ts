import { type ChildProcess, fork, type SerializationType } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { environmentForOthers } from '../../system/environment-for-others.ts';
import { killGroup } from '../../system/kill-group.ts';
import { MarkedProcesses } from '../../system/marked-processes.ts';
import { MARK } from '../environment.ts';
import { memoryOf } from '../models/system-inputs.ts';
import { type Job, OUT_OF_MEMORY } from './protocol.ts';
import type { Stream } from './run-log.ts';

/** A process that runs models. */
export interface ModelProcess {
  child: ChildProcess;
  /** The variable of the environment of all processes that stem from it, as `NAME=value`. */
  mark: string;
}

/** How long a program may take to end by itself after SIGTERM, in milliseconds. */
const GRACE = 2_000;

export interface ModelProcessOptions {
  filesDir: string;
  /** The folder for incomplete files. @default in `filesDir` */
  unfinishedDir?: string | undefined;
  /** The memory limit of a run of the process, in MB. */
  memory: number;
  environment?: Record<string, string>;
  /** Called with each line that the model prints, numbered from 1. */
  onLine: (line: string, number: number, runId: string) => void;
}

/**
 * The memory limit of a run, in MB. All executors together get half of the memory of the machine or container, so that
 * other processes can continue.
 */
export function memoryShare(executors: number): number {
  return Math.floor(
    Math.min(process.constrainedMemory() || Infinity, os.totalmem()) / 2 / executors / 2 ** 20,
  );
}

/** The memory limit of a job, in MB: the given limit, or the job's `{MAX_MEMORY_MB}` if that is less. */
export function memoryFor({ inputs }: Job, most: number): number {
  return Math.min(most, memoryOf(inputs) ?? Infinity);
}

/**
 * Starts a program of foray that runs a model. The program calls `guardProcess` first. (Threads are not enough: V8 ends
 * the whole process if one thread runs out of memory.) The start fails if the system has no descriptors, processes or
 * memory left. The process then ends before it reports that it is ready, usually with the event `error`.
 *
 * @param serialization - the form of the messages. JSON takes a quarter less of the CPU time of a run that does nothing
 * @throws Error of the system, if Node detects the failure immediately
 */
export function startModelProcess(
  program: string,
  { filesDir, unfinishedDir, memory, environment }: ModelProcessOptions,
  onPrint: (stream: Stream, text: string) => void,
  serialization: SerializationType = 'json',
): ModelProcess {
  const id = randomUUID();
  const args = [filesDir, String(process.pid), String(memory)];
  if (unfinishedDir !== undefined) args.push(unfinishedDir);
  const child = fork(program, args, {
    execArgv: [`--max-old-space-size=${memory}`],
    env: { ...environmentForOthers(), ...environment, [MARK]: id },
    serialization,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // in a group of its own, so that a Ctrl-C reaches only the service
    detached: true,
  });
  // if the system has no descriptors left, there are no streams
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => onPrint(stream, text));
  }
  // the child processes of the model must end too, whatever ended this process
  child.on('exit', () => child.pid !== undefined && killGroup(child.pid));
  return { child, mark: `${MARK}=${id}` };
}

/**
 * Resolves when the service has read all output that a process printed before its last message or its end. That output
 * is already in the pipes, and each turn of the event loop empties them.
 */
export async function printedIsRead(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** Why a run failed if its process ended by itself. */
export function reasonOfExit(signal: NodeJS.Signals | null, memory: number): string {
  // V8 aborts a process at the limit of its heap
  return signal === 'SIGABRT' || signal === OUT_OF_MEMORY
    ? `it needed more memory than it may take: ${memory} MB`
    : crashed('it ended its process');
}

export function crashed(why: string): string {
  return `the model crashed: ${why}`;
}

/**
 * Ends a process and all processes that stem from it. Resolves when they are gone.
 *
 * @param folders - the folders in which only these processes work
 * @param isGentle - whether a program of a command model first gets the signal SIGTERM and a short time
 */
export async function endModelProcess(
  { child, mark }: ModelProcess,
  folders: readonly string[] = [],
  isGentle = false,
): Promise<void> {
  // a process without an id was never started
  if (child.pid === undefined) return;
  const processes = new MarkedProcesses(mark, child.pid, folders);
  if (child.exitCode === null && child.signalCode === null) {
    // a process without the mark is found by its parent, as long as the parent lives
    processes.find();
    const exit = once(child, 'exit');
    if (isGentle) {
      killGroup(child.pid, 'SIGTERM');
      await Promise.race([exit, pause(GRACE, undefined, { ref: false })]);
    }
    killGroup(child.pid);
    await exit;
  }
  await processes.end();
}
