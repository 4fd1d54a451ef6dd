import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const STOP_MS = 10_000;
const SAYS_MS = 120_000;
/** `says` searches the last lines of a process, at most this number. An error shows the last ten lines. */
const LINES = 200;

export interface ProcessOptions {
  name: string;
  command?: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
}

/**
 * A process that the bench measures or uses. The process has its own process group, so a Ctrl-C reaches only the bench.
 * When the bench ends, the standard input and the channel of the process close, so the process ends as well.
 */
export class Process {
  readonly pid: number;
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #listeners = new Set<() => void>();

  constructor({ name, command = process.execPath, args, env = ownEnvironment() }: ProcessOptions) {
    this.#name = name;
    this.#child = spawn(command, args, { env, detached: true, stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
    this.pid = this.#child.pid ?? 0;
    this.#child.once('error', (error) => this.#receive(error.message));
    this.#child.stdin!.on('error', () => undefined);
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      createInterface({ input: stream }).on('line', (line) => this.#receive(line));
    this.#child.once('exit', () => this.#tellListeners());
  }

  /**
   * Waits for the first line of the process that matches `form`, or with `nth` for a later one. Lines from before the
   * call also count.
   */
  says(form: RegExp, { within = SAYS_MS, nth = 1 } = {}): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
        act();
      };
      const look = (): void => {
        const found = this.#lines.map((line) => form.exec(line)).filter((match) => match !== null)[nth - 1];
        if (found) settle(() => resolve(found));
        else if (this.#hasEnded) settle(() => reject(this.#failure('ended')));
      };
      const timer = setTimeout(
        () => settle(() => reject(this.#failure(`has printed no line that matches ${form}`))),
        within,
      );
      this.#listeners.add(look);
      look();
    });
  }

  tell(line: string): void {
    this.#child.stdin!.write(`${line}\n`);
  }

  send(message: object): void {
    this.#child.send(message, (error) => error && this.#receive(error.message));
  }

  /** Sends a question over the channel. The next object is the answer. */
  ask<T extends object>(question: string | object): Promise<T> {
    return new Promise((resolve, reject) => {
      const take = (message: unknown): void => {
        // parts of foray also send the text `ready` over the channel
        if (typeof message !== 'object') return;
        this.#child.off('message', take);
        resolve(message as T);
      };
      this.#child.on('message', take);
      this.#child.send(question, (error) => error && reject(this.#failure('cannot receive a question')));
    });
  }

  /** Sends SIGTERM, and then SIGKILL if the process does not end. */
  async end(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(kill);
  }

  get #hasEnded(): boolean {
    return this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  #receive(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES) this.#lines.shift();
    this.#tellListeners();
  }

  #tellListeners(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #failure(what: string): Error {
    return new Error([`${this.#name} ${what}`, ...this.#lines.slice(-10)].join('\n  '));
  }
}

/** The environment of the bench and the variables in `more`, without the user's settings of the measured programs. */
export function ownEnvironment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(FORAY|TEMPORAL|PREFECT)_/.test(name));
  return { ...Object.fromEntries(own), ...more };
}
