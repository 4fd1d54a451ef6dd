import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { killGroup } from './kill-group.ts';
import { LineSplitter, type PrintedLine } from './line-splitter.ts';

const STREAMS = ['stdout', 'stderr'] as const;
type Stream = (typeof STREAMS)[number];

/** How a process has ended. One of the members is null. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface LineProgramOptions {
  command: readonly string[];
  folder: string;
  environment: NodeJS.ProcessEnv;
  /** Whether the program leads a group of processes, which ends with it. Otherwise it is in the group of this process. */
  leadsGroup: boolean;
}

/** Gets what a program prints. */
export interface LineListener extends Record<Stream, (line: PrintedLine) => void> {
  /** Gets what the program prints before it is split into lines. */
  onBytes?: (stream: Stream, bytes: Buffer) => void;
  /** Gets the start of a line on standard output that is too long, before the line has ended. */
  onCut?: (start: Buffer) => void;
}

/** A program that reads and prints lines: a command model, or an outside optimiser. */
export class LineProgram {
  /** Resolves when the program runs; rejects with the error of the system if it cannot be started. */
  readonly started: Promise<unknown>;
  /** Resolves when the program has ended; never if it could not be started. Its last lines may not have been read yet. */
  readonly exit: Promise<Exit>;
  /** Resolves when the program has ended and no process can print any more for it. */
  readonly closed: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #lines: Record<Stream, LineSplitter>;
  readonly #leadsGroup: boolean;

  constructor(
    { command: [program, ...args], folder, environment, leadsGroup }: LineProgramOptions,
    listener: LineListener,
  ) {
    const child = spawn(program!, args, {
      cwd: folder,
      env: environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: leadsGroup,
    });
    this.#child = child;
    this.#leadsGroup = leadsGroup;
    this.#lines = {
      stdout: new LineSplitter(listener.stdout, listener.onCut),
      stderr: new LineSplitter(listener.stderr),
    };
    // `started` has this error
    child.on('error', () => {});
    // a program may ignore its input, or have ended; if the system has no descriptors left, there are no streams
    child.stdin?.on('error', () => {});
    for (const stream of STREAMS) {
      child[stream]
        ?.on('data', (bytes: Buffer) => {
          listener.onBytes?.(stream, bytes);
          this.#lines[stream].add(bytes);
        })
        .on('end', () => this.#lines[stream].close());
    }
    this.started = once(child, 'spawn');
    this.exit = endOf(child, 'exit');
    this.closed = endOf(child, 'close');
    // a rejection that nobody waits for must not end this process
    this.started.catch(() => {});
    if (leadsGroup) void this.exit.then(() => killGroup(child.pid!));
  }

  /** The id of the process; undefined if it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Writes to the standard input of the program. */
  write(text: string): void {
    this.#child.stdin?.write(text);
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  /** Gives the listener the lines whose ends are not printed yet, as if they had ended. */
  flush(): void {
    for (const stream of STREAMS) this.#lines[stream].close('\n');
  }

  /** Kills the program, and its group if it leads one. */
  kill(): void {
    if (this.pid === undefined || this.hasEnded) return;
    if (this.#leadsGroup) killGroup(this.pid);
    else this.#child.kill('SIGKILL');
  }
}

function endOf(child: ChildProcess, event: 'exit' | 'close'): Promise<Exit> {
  return new Promise((resolve) =>
    child.once(event, (code: number | null, signal: NodeJS.Signals | null) => resolve({ code, signal })),
  );
}
