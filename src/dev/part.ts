import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ForayError, messageOf } from '../errors.ts';
import type { Failure } from './lifeline.ts';
import { RotatingLog } from './rotating-log.ts';

export interface PartOptions {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** The path of the log for the output of the process (see RotatingLog). */
  logFile: string;
  /**
   * Resolves to true when the part works. This function is called again and again while the part starts. If it is
   * missing, the part must send the message `ready`.
   */
  isReady?: () => Promise<boolean>;
  /** Finds the reason in the last output of the process after it has ended. @default the last error of foray */
  reasonIn?: (output: string) => string | undefined;
  report: (line: string) => void;
}

const READY_MS = 60_000;
const ASK_EVERY_MS = 100;
const STOP_MS = 10_000;
/** How long to wait for the rest of the output of a process that has ended, ms. */
const OUTPUT_MS = 1_000;
/** This much of the last output is searched for the reason why a process ended, in characters. */
const LAST_OUTPUT = 8_000;
/**
 * The delay before a part that ended starts again, ms. It doubles each time the part does not become ready, up to 10 s.
 */
const RESTART_MS = 300;
const LONGEST_RESTART_MS = 10_000;

/** A part of `foray dev`: a child process. It is started again each time it ends, until `stop` is called. */
export class Part {
  readonly #options: PartOptions;
  readonly #log: RotatingLog;
  #child: ChildProcess | undefined;
  #output = '';
  #outputEnds: Promise<unknown> | undefined;
  #saidReady = false;
  /** The error that the process told before it ended. */
  #failure: Failure | undefined;
  #isStopping = false;
  #restartMs = RESTART_MS;
  /** Whether the first start of the part failed because the process ended, not because of a timeout. */
  endedAtOnce = false;

  constructor(options: PartOptions) {
    this.#options = options;
    this.#log = new RotatingLog(options.logFile, options.report);
  }

  /**
   * @throws ForayError PART_FAILED when the process ends during its first start, or is not ready in time; the error that
   *   the process tells
   */
  async start(): Promise<void> {
    const { name, logFile } = this.#options;
    const child = this.#spawn();
    if (!(await this.#becomesReady(child))) {
      const isLate = !hasEnded(child);
      const isStopped = this.#isStopping;
      await this.stop();
      const reason = await this.#reason();
      if (this.#failure) throw new ForayError(this.#failure.code, this.#failure.message, this.#failure);
      this.endedAtOnce = !isLate && !isStopped;
      const what = isLate ? `was not ready after ${READY_MS / 1000} s` : 'does not start';
      const message = `The ${name} ${what}${reason === undefined ? '.' : `: ${reason}`}`;
      const hints = [
        ...(isLate ? ['If this machine is slow or busy, start again; it may need less time now.'] : []),
        // the log begins with the first line of the part
        ...(existsSync(logFile) ? [`See ${logFile}.`] : []),
      ];
      throw new ForayError('PART_FAILED', message, { hint: hints.join(' ') || undefined });
    }
    this.#watch(child);
  }

  /** Sends SIGTERM, and 10 s later SIGKILL if the process has not ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    if (!child || hasEnded(child)) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(kill);
  }

  #spawn(): ChildProcess {
    const { command, args, env } = this.#options;
    // the part has its own process group, so a Ctrl-C at the terminal reaches only foray dev, which stops its parts in
    // order. When foray dev ends in any way, the channel closes, and then the part ends too (see lifeline.ts).
    const child = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    child.once('error', (error) => this.#log.write(`${error.message}\n`));
    this.#output = '';
    const ends = ['close', 'disconnect'].map((event) => new Promise((resolve) => child.once(event, resolve)));
    this.#outputEnds = Promise.all(ends);
    const keep = (chunk: Buffer): void => {
      this.#log.write(chunk);
      this.#output = (this.#output + chunk.toString()).slice(-LAST_OUTPUT);
    };
    // there may be no streams if the process could not start
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    this.#saidReady = false;
    child.on('message', (message) => {
      this.#saidReady ||= message === 'ready';
      if (typeof message !== 'object') return;
      if ('line' in message) this.#options.report(String(message.line));
      if ('failure' in message) this.#failure = message.failure as Failure;
    });
    this.#child = child;
    return child;
  }

  async #becomesReady(child: ChildProcess): Promise<boolean> {
    const until = Date.now() + READY_MS;
    while (Date.now() < until && !hasEnded(child) && !this.#isStopping) {
      if (await this.#isReady()) return true;
      await delay(ASK_EVERY_MS);
    }
    return false;
  }

  async #isReady(): Promise<boolean> {
    const { isReady } = this.#options;
    return isReady ? isReady().catch(() => false) : this.#saidReady;
  }

  #watch(child: ChildProcess): void {
    if (hasEnded(child)) void this.#restart();
    else child.once('exit', () => void this.#restart());
  }

  async #restart(): Promise<void> {
    const { name, report } = this.#options;
    if (this.#isStopping) return;
    const reason = await this.#reason();
    report(`the ${name} ended; starting it again${reason === undefined ? '' : ` (${reason})`}`);
    await delay(this.#restartMs);
    if (this.#isStopping) return;
    let isReady = false;
    try {
      isReady = await this.#becomesReady(this.#spawn());
    } catch (error) {
      // the system cannot start a process at the moment, so the start is tried again
      this.#log.write(`${messageOf(error)}\n`);
    }
    this.#restartMs = isReady ? RESTART_MS : Math.min(LONGEST_RESTART_MS, this.#restartMs * 2);
    if (isReady) report(`the ${name} works again (process ${this.pid})`);
    this.#watch(this.#child!);
  }

  /** Why the process ended, if its output says so. */
  async #reason(): Promise<string | undefined> {
    await Promise.race([this.#outputEnds, delay(OUTPUT_MS, undefined, { ref: false })]);
    return (this.#options.reasonIn ?? lastError)(this.#output);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/** The last error in the output of a program of foray. */
function lastError(output: string): string | undefined {
  return [...output.matchAll(/^foray: (.+)$/gm)].at(-1)?.[1];
}
