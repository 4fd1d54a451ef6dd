import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { ForayError, messageOf } from '../errors.ts';
import { RotatingLog } from './rotating-log.ts';

export interface PartOptions {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** What the process says goes here, see RotatingLog. */
  logFile: string;
  /** Resolves to true once the part works; asked while it starts. Without it, the part sends the message `ready`. */
  isReady?: () => Promise<boolean>;
  report: (line: string) => void;
}

const READY_MS = 60_000;
const ASK_EVERY_MS = 100;
const STOP_MS = 10_000;
/** A part that dies is started again after this, doubled each time it does not become ready. */
const RESTART_MS = 300;
const LONGEST_RESTART_MS = 10_000;

/** A child process that is kept alive until it is told to stop. */
export class Part {
  private readonly options: PartOptions;
  private readonly log: RotatingLog;
  private child: ChildProcess | undefined;
  private saidReady = false;
  private isStopping = false;
  private restartMs = RESTART_MS;
  /** Whether its first start failed because it ended, rather than by its silence. */
  endedAtOnce = false;

  constructor(options: PartOptions) {
    this.options = options;
    this.log = new RotatingLog(options.logFile, options.report);
  }

  /** @throws ForayError PART_FAILED when it ends, or is not ready in time, at its first start */
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

  /** SIGTERM, and SIGKILL when that is not heard. */
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
    // A process group of its own: a Ctrl-C at the terminal reaches foray dev alone, which stops its parts in order.
    // The channel ends with foray dev, however that ends, and the part with the channel (see lifeline.ts).
    const child = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    child.once('error', (error) => this.log.write(`${error.message}\n`));
    // where no process can be made there may be no streams
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
      // the system has no room for a process at the moment
      this.log.write(`${messageOf(error)}\n`);
    }
    this.restartMs = isReady ? RESTART_MS : Math.min(LONGEST_RESTART_MS, this.restartMs * 2);
    if (isReady) report(`the ${name} is back (process ${this.pid})`);
    this.watch(this.child!);
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}
