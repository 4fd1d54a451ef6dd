import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { MarkedProcesses } from '../../system/marked-processes.ts';
import { ScratchFolder } from '../../system/remove-folder.ts';
import type { ContentFiles } from '../files/content.ts';
import { Forwarding } from './forwarding.ts';
import type { Guarded } from './guard.ts';
import { print } from './program-messages.ts';
import type { Report } from './protocol.ts';
import type { Stream } from './run-log.ts';

/** The variables that name the folder for temporary files, for programs of several languages and systems. */
const TEMPORARY_VARIABLES = ['TMPDIR', 'TMP', 'TEMP'];

/** A program that stays loaded between runs. */
export interface LoadedProgram {
  /** Its processes; undefined if it is not loaded. */
  readonly processes: ReadonlySet<number> | undefined;
  /** Ends it for another program. */
  giveWay(): Promise<void>;
  /** Ends it at once. */
  end(): Promise<void>;
}

/** Where one executor executes runs: its files, its processes, and what its runs print. */
export class Workplace {
  readonly files: ContentFiles;
  /** The processes that stem from this one. */
  readonly processes: MarkedProcesses;
  readonly printed: Record<Stream, Forwarding>;
  /** Copies of models in which only this executor works. */
  readonly copies: string;
  /** The memory that a run may take, in bytes. */
  readonly memory: number;
  readonly report: (report: Report) => void;
  /** Whether the service has asked this process to end. */
  isEnding = false;
  readonly #folder: string;
  #folders = 0;
  /** The program that stays loaded. There is at most one. */
  #program: LoadedProgram | undefined;
  readonly #temporary: string;
  readonly #scratch: ScratchFolder;
  readonly #countOwnMemory: (isOfModel: boolean) => void;
  #isOfModel = true;

  /**
   * `mark` is a variable of the environment, as `NAME=value`: the processes inherit it, and are found by it. Its value
   * also names the folder of this executor.
   */
  constructor(
    files: ContentFiles,
    { mark, memory, countOwnMemory }: Pick<Guarded, 'mark' | 'memory' | 'countOwnMemory'>,
    report: (report: Report) => void,
  ) {
    this.files = files;
    this.#countOwnMemory = countOwnMemory;
    const onDropped = (lines: number): void => report({ kind: 'dropped', lines });
    this.printed = {
      stdout: new Forwarding(process.stdout, onDropped),
      stderr: new Forwarding(process.stderr, onDropped),
    };
    this.memory = memory;
    this.report = report;
    this.#folder = files.executorPath(mark);
    this.processes = new MarkedProcesses(mark, process.pid, [this.#folder]);
    this.copies = path.join(this.#folder, 'models');
    this.#temporary = path.join(this.#folder, 'tmp');
    this.#scratch = new ScratchFolder(this.#temporary);
  }

  /**
   * Redirects the code of modules, which runs in this process. What it prints goes to `printed`, and its temporary
   * files go to the folder of this executor.
   */
  open(): void {
    mkdirSync(this.#temporary, { recursive: true, mode: 0o700 });
    Object.assign(process.env, temporaryVariables(this.#temporary));
    for (const name of ['stdout', 'stderr'] as const) {
      process[name].write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
        this.printed[name].print(chunk);
        const then = rest.at(-1);
        if (typeof then === 'function') process.nextTick(then);
        return true;
      };
    }
  }

  /** The path of a new working folder for a program that stays loaded (a loop). */
  newFolder(): string {
    this.#folders += 1;
    return path.join(this.#folder, `loop-${this.#folders}`);
  }

  /**
   * Makes `program` the program that stays loaded; undefined for a run without one. Another loaded program ends now.
   * Without runs it would end after a while, perhaps during this run, and then end the processes of this run too. And
   * its memory would count as that of this run.
   */
  async use(program: LoadedProgram | undefined): Promise<void> {
    if (this.#program !== program) await this.#program?.giveWay();
    this.#program = program;
  }

  /** Adds a line of foray to the log of the current run. */
  say(line: string): void {
    print(this.printed.stderr, line);
  }

  /** Call this before a run of a program in `folder`. A process that works there is then found as one of this run. */
  workIn(folder: string): void {
    this.processes.folders = [this.#folder, folder];
  }

  /**
   * Call this before a run. The code of a module runs in this process, so the memory of this process counts as that of
   * the model. A program has processes of its own. The watchdog hears only of a change.
   */
  countOwnMemory(isOfModel: boolean): void {
    if (isOfModel !== this.#isOfModel) this.#countOwnMemory(isOfModel);
    this.#isOfModel = isOfModel;
  }

  /**
   * Call this when a run has ended. Sends the rest of what it printed, and removes its processes and temporary files. A
   * program that stays loaded goes on, unless the run has left a process.
   *
   * @returns the commands of processes that still ran
   */
  async clear(): Promise<string[]> {
    // each run ends here, and most runs leave nothing
    const left = this.processes.areGone ? [] : await this.processes.end(this.#program?.processes);
    // a program whose processes were ended may miss them in its next run
    if (left.length > 0) await this.#program?.end();
    // printed lines must arrive before the outcome, so that the service knows their run
    const { stdout, stderr } = this.printed;
    if (stdout.isUsed || stderr.isUsed) await Promise.all([stdout.end(), stderr.end()]);
    this.#scratch.empty();
    return left;
  }
}

/** The variables of the environment for temporary files in a folder. */
export function temporaryVariables(folder: string): Record<string, string> {
  return Object.fromEntries(TEMPORARY_VARIABLES.map((name) => [name, folder]));
}
