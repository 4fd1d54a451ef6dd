import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const RESTART_MS = 500;
const READY_MS = 120_000;
const STOP_MS = 15_000;
const PROBE_MS = 200;
/** How long to wait for a report of the heap, ms. A process that is frozen or lacks descriptors does not report. */
const HEAP_MS = 3_000;
/** Node aborts with this line if Temporal runs the code of a workflow with a time limit while no descriptor is free. */
const NO_DESCRIPTOR = 'Failed to initialize uv loop';

export interface ProcessOptions {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  log: string;
  /**
   * The soak calls this function until it returns true. Without this function, the process is ready when it sends the
   * message `ready`.
   */
  isReady?: () => Promise<boolean>;
  /** Whether the process has loaded test/support/heap-hook.ts. */
  tellsHeap?: boolean;
}

/** A process that is restarted when it ends, as by a service manager. It can be killed and frozen. */
export class KeptProcess {
  readonly options: ProcessOptions;
  /** The time when the process last became ready, ms since the epoch. It is 0 while the process is not ready. */
  readyAt = 0;
  /** Whether a fault may end the process now. Such an end counts as a kill. */
  mayEnd = false;
  /** The ends of the process while it was ready and without a fault: the code or signal, and the last log lines. */
  readonly ownEnds: string[] = [];
  /** The ids that the process has had so far. */
  readonly pids: number[] = [];
  #child: ChildProcess | undefined;
  #downMs: number | undefined;
  #isClosing = false;
  /** The size of the log when the process was started, in bytes. */
  #logStart = 0;
  #kept: Promise<void> | undefined;

  constructor(options: ProcessOptions) {
    this.options = options;
  }

  get pid(): number | undefined {
    return this.#child && !hasEnded(this.#child) ? this.#child.pid : undefined;
  }

  /**
   * The memory that the process needs, MB. For processes of foray, this is the heap with its buffers after a garbage
   * collection. Their resident memory proves nothing: V8 keeps up to 130 MB for young objects, which it takes in steps
   * after minutes or hours of work and never gives back. (A service with 27 MB in its heap has 264 MB after 16,000 runs,
   * and 150 MB with `--max-semi-space-size=4`.) Otherwise it is the resident memory. Undefined if the
   * process does not run or does not answer.
   */
  async memoryMb(): Promise<number | undefined> {
    const { pid } = this;
    const child = this.#child;
    if (!child || pid === undefined || this.readyAt === 0) return undefined;
    return this.options.tellsHeap ? heapMbOf(child) : residentMb(pid);
  }

  /** Starts the process and keeps it running. Resolves when the process is ready. */
  async start(): Promise<void> {
    this.#kept = this.#keep();
    await this.ready();
  }

  async ready(within = READY_MS): Promise<void> {
    const end = performance.now() + within;
    while (this.readyAt === 0) {
      if (performance.now() > end)
        throw new Error(`${this.options.name} is not ready; see ${this.options.log}`);
      await delay(PROBE_MS);
    }
  }

  /** Sends SIGKILL. The process starts again after some seconds. Returns false if the process is not ready. */
  kill(seconds: number): boolean {
    if (this.pid === undefined || this.readyAt === 0) return false;
    this.#downMs = 1_000 * seconds;
    this.readyAt = 0;
    return this.#child!.kill('SIGKILL');
  }

  /** Freezes the process for some seconds. Returns false if the process does not run now. */
  async freeze(seconds: number): Promise<boolean> {
    const child = this.#child;
    if (!child || hasEnded(child)) return false;
    child.kill('SIGSTOP');
    await delay(1_000 * seconds);
    child.kill('SIGCONT');
    return true;
  }

  /**
   * Ends the process with SIGTERM, or with SIGKILL if it does not end in time. The process does not start again.
   * Returns true if SIGTERM was enough.
   */
  async close(): Promise<boolean> {
    this.#isClosing = true;
    const child = this.#child;
    let isHeard = true;
    if (child && !hasEnded(child)) {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const timer = setTimeout(() => {
        isHeard = false;
        child.kill('SIGKILL');
      }, STOP_MS);
      await new Promise((resolve) => (hasEnded(child) ? resolve(undefined) : child.once('exit', resolve)));
      clearTimeout(timer);
    }
    await this.#kept;
    return isHeard;
  }

  /** Ends the process at once with all its descendants, because the soak itself ends. */
  destroy(): void {
    this.#isClosing = true;
    if (this.pid !== undefined) for (const member of familyOf(this.pid)) killHard(member);
  }

  async #keep(): Promise<void> {
    while (!this.#isClosing) {
      const child = this.#spawn();
      const ended = new Promise<void>((resolve) => {
        child.once('exit', () => resolve());
        child.once('error', () => resolve());
      });
      await Promise.race([ended, this.#becomesReady(child)]);
      const wasReady = this.readyAt > 0 || this.#downMs !== undefined;
      await ended;
      this.readyAt = 0;
      if (this.#isClosing) return;
      const downMs = this.#downMs ?? RESTART_MS;
      if (this.#downMs === undefined && wasReady && !this.mayEnd && !this.#hadNoDescriptor()) {
        this.ownEnds.push(`${child.signalCode ?? `code ${child.exitCode}`}: ${this.#lastLine()}`);
      }
      this.#downMs = undefined;
      await delay(downMs);
    }
  }

  #spawn(): ChildProcess {
    const { command, args, env, log } = this.options;
    const file = openSync(log, 'a');
    this.#logStart = fstatSync(file).size;
    // the process has its own process group, so that a Ctrl-C reaches only the soak
    const child = spawn(command, args, { env, detached: true, stdio: ['ignore', file, file, 'ipc'] });
    closeSync(file);
    child.on('error', () => undefined);
    this.#child = child;
    if (child.pid !== undefined) this.pids.push(child.pid);
    return child;
  }

  async #becomesReady(child: ChildProcess): Promise<void> {
    const { isReady } = this.options;
    let said = false;
    child.on('message', (message) => (said ||= message === 'ready'));
    while (!hasEnded(child) && !this.#isClosing) {
      if (isReady ? await isReady().catch(() => false) : said) {
        if (!hasEnded(child)) this.readyAt = Date.now();
        return;
      }
      await delay(PROBE_MS);
    }
  }

  /** Such an end comes long after its fault on a busy machine, because Node first writes its stack. */
  #hadNoDescriptor(): boolean {
    return readFileSync(this.options.log).subarray(this.#logStart).includes(NO_DESCRIPTOR);
  }

  #lastLine(): string {
    return readFileSync(this.options.log, 'utf8').trim().split('\n').slice(-3).join(' | ').slice(0, 400);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // the process has ended
  }
}

/** The ids of a process and all its descendants. */
export function familyOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = parentOf(Number(entry));
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const family = [pid];
  for (const member of family) family.push(...(children.get(member) ?? []));
  return family;
}

function parentOf(pid: number): number | undefined {
  const ppid = /^PPid:\s+(\d+)/m.exec(procFile(pid, 'status'));
  return ppid ? Number(ppid[1]) : undefined;
}

function heapMbOf(child: ChildProcess): Promise<number | undefined> {
  return new Promise((resolve) => {
    const settle = (heaps: number[] | undefined): void => {
      clearTimeout(timer);
      child.off('message', take);
      resolve(heaps && heaps.reduce((sum, heap) => sum + heap, 0) / 2 ** 20);
    };
    const take = (message: unknown): void => {
      if (typeof message === 'object' && message !== null && 'heaps' in message)
        settle(message.heaps as number[]);
    };
    const timer = setTimeout(() => settle(undefined), HEAP_MS);
    child.on('message', take);
    child.send('heap', (error) => error && settle(undefined));
  });
}

/** The resident memory of a process, MB. Undefined if the process has ended. */
function residentMb(pid: number): number | undefined {
  const found = /^VmRSS:\s+(\d+)/m.exec(procFile(pid, 'status'));
  return found ? Number(found[1]) / 1_024 : undefined;
}

/** The number of open descriptors of a process. */
export function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
