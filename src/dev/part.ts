import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { ForayError, messageOf } from '../errors.ts';
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
  report: (line: string) => void;
}

const READY_MS = 60_000;
const ASK_EVERY_MS = 100;
const STOP_MS = 10_000;
/**
 * The delay before a part that ended starts again, ms. It doubles each time the part does not become ready, up to 10 s.
 */
const RESTART_MS = 300;
const LONGEST_RESTART_MS = 10_000;

/** A part of `foray dev`: a child process. It is started again each time it ends, until `stop` is called. */
export class Part {
  private readonly options: PartOptions;
  private readonly log: RotatingLog;
  private child: ChildProcess | undefined;
  private saidReady = false;
  private isStopping = false;
  private restartMs = RESTART_MS;
  /** Whether the first start of the part failed because the process ended, not because of a timeout. */
  endedAtOnce = false;

  constructor(options: PartOptions) {
    this.options = options;
    this.log = new RotatingLog(options.logFile, options.report);
  }

  /** @throws ForayError PART_FAILED when the process ends during its first start, or is not ready in time */
  async start(): Promise<void> {
    const { name, logFile } = this.options;
    const child = this.spawn();
    if (!(await this.becomesReady(child))) {
      this.endedAtOnce = hasEnded(child) && !this.isStopping;
      await this.stop();
      throw new ForayError('PART_FAILED', `The ${name} does not start.`, { hint: `See ${logFile}.` });
    }
    this.watch(child);
  }

  /** Sends SIGTERM, and 10 s later SIGKILL if the process has not ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const { child } = this;
    if (!child || hasEnded(child)) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(kill);
  }

  private spawn(): ChildProcess {
    const { command, args, env } = this.options;
    // the part has its own process group, so a Ctrl-C at the terminal reaches only foray dev, which stops its parts in
    // order. When foray dev ends in any way, the channel closes, and then the part ends too (see lifeline.ts).
    const child = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    child.once('error', (error) => this.log.write(`${error.message}\n`));
    // there may be no streams if the process could not start
    child.stdout?.on('data', (chunk: Buffer) => this.log.write(chunk));
    child.stderr?.on('data', (chunk: Buffer) => this.log.write(chunk));
    this.saidReady = false;
    child.on('message', (message) => {
      this.saidReady ||= message === 'ready';
      if (typeof message === 'object' && 'line' in message) this.options.report(String(message.line));
    });
    this.child = child;
    return child;
  }

  private async becomesReady(child: ChildProcess): Promise<boolean> {
    const until = Date.now() + READY_MS;
    while (Date.now() < until && !hasEnded(child) && !this.isStopping) {
      if (await this.isReady()) return true;
      await delay(ASK_EVERY_MS);
    }
    return false;
  }

  private async isReady(): Promise<boolean> {
    const { isReady } = this.options;
    return isReady ? isReady().catch(() => false) : this.saidReady;
  }

  private watch(child: ChildProcess): void {
    if (hasEnded(child)) void this.restart();
    else child.once('exit', () => void this.restart());
  }

  private async restart(): Promise<void> {
    const { name, report } = this.options;
    if (this.isStopping) return;
    report(`the ${name} ended; starting it again`);
    await delay(this.restartMs);
    if (this.isStopping) return;
    let isReady = false;
    try {
      isReady = await this.becomesReady(this.spawn());
    } catch (error) {
      // the system cannot start a process at the moment, so the start is tried again
      this.log.write(`${messageOf(error)}\n`);
    }
    this.restartMs = isReady ? RESTART_MS : Math.min(LONGEST_RESTART_MS, this.restartMs * 2);
    if (isReady) report(`the ${name} works again (process ${this.pid})`);
    this.watch(this.child!);
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}
