import { mkdirSync, readdirSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Exit } from '../../system/line-program.ts';
import { allowRemoval, removeFolderSync } from '../../system/remove-folder.ts';
import type { KeptFolder } from './kept.ts';
import { PROGRAM_LOAD_LIMIT, type PythonBuild } from '../models/python-build.ts';
import { LoopMessages } from './loop-messages.ts';
import { printedIsRead } from './process.ts';
import { Program, withModelPaths } from './program.ts';
import type { Job } from './protocol.ts';
import { byDeclaredName, deferIfShort, prepareInputs, storeFiles, temporaryOf } from './working-folder.ts';
import type { Workplace } from './workplace.ts';

/** After this time, the log says what foray waits for, in milliseconds. */
const SLOW_LOAD = 10_000;
/** The memory is read once in this number of runs. */
const MEMORY_EVERY = 10;
/** How long a program may take to end after the end of its input, in milliseconds. */
const GRACE = 500;

/** The process of a program has ended while foray waited for a message. */
export class ProgramLost extends Error {
  readonly signal: NodeJS.Signals | null;

  constructor(message: string, { signal }: Exit) {
    super(message);
    this.signal = signal;
  }
}

interface Parts {
  command: readonly string[];
  folder: string;
  program: Program;
  messages: LoopMessages;
}

/** A process that has loaded the program of a model, with a working folder of its own. */
export class Loaded {
  /** The number of runs that it was asked for. */
  runs = 0;
  /** Why it wants no further run; undefined if it takes one. */
  whyLast: string | undefined;
  /** The files outside the model's folder that its last run has opened, if it was watched. */
  opened: string[] | undefined;
  /** When it had loaded the program, by `performance.now`. */
  readonly since = performance.now();
  /** Its process, and those that it has started while it loaded. */
  readonly processes: ReadonlySet<number>;
  readonly folder: string;
  readonly #parts: Parts;
  readonly #workplace: Workplace;
  /** The files that it has made while it loaded, which stay. */
  readonly #own: ReadonlySet<string>;
  /** Its memory after its first run, in bytes. */
  #memory: number | undefined;

  private constructor(parts: Parts, workplace: Workplace) {
    this.#parts = parts;
    this.folder = parts.folder;
    this.#workplace = workplace;
    this.processes = new Set(workplace.processes.find());
    this.#own = new Set(this.#present());
  }

  /**
   * Starts a program, and waits until it is loaded.
   *
   * @param modelFolder - the folder with the copy of the model's files
   * @throws Deferred if the machine is the reason why it cannot be started; ProgramLost if a kill from outside ended
   *   it; otherwise an Error with the reason
   */
  static async start(
    command: readonly string[],
    { code, isElsewhere }: Job,
    modelFolder: string,
    workplace: Workplace,
  ): Promise<Loaded> {
    const folder = workplace.newFolder();
    await deferIfShort(() => mkdir(temporaryOf(folder), { recursive: true, mode: 0o700 }));
    const messages = new LoopMessages(workplace.printed.stdout);
    const program = await Program.start({
      words: withModelPaths(command, [modelFolder, path.dirname(code.entry)]),
      modelFolder,
      folder,
      isElsewhere,
      log: workplace.printed.stderr,
      onLine: (line) => messages.handle(line),
    });
    const slow = setTimeout(
      () => workplace.say('foray waits for the line {"ready": {}} of the program.'),
      SLOW_LOAD,
    );
    const late = pause(PROGRAM_LOAD_LIMIT, 'late' as const, { ref: false });
    const ended = await Promise.race([
      messages.ready.then(() => undefined),
      exitAfterOutput(program),
      late,
    ]).finally(() => clearTimeout(slow));
    if (ended === undefined && messages.wrong === undefined)
      return new Loaded({ command, folder, program, messages }, workplace);
    program.lines.kill();
    await workplace.processes.end();
    removeFolderSync(folder);
    const why = whyNotLoaded(program, messages, ended);
    throw typeof ended === 'object' && ended.signal === 'SIGKILL'
      ? new ProgramLost(why, ended)
      : new Error(why);
  }

  /** The Python and the packages that it has said. */
  get python(): PythonBuild | undefined {
    return this.#parts.messages.python;
  }

  /** Whether it has ended, or has said something wrong. */
  get isBroken(): boolean {
    const { program, messages } = this.#parts;
    return program.lines.hasEnded || messages.wrong !== undefined;
  }

  /** Whether it takes twice the memory that it took after its first run, and more than half of what a run may take. */
  hasGrown(): boolean {
    // reading the memory of all processes takes as long as a short run
    if (this.runs % MEMORY_EVERY !== 1) return false;
    const now = this.#workplace.processes.memory();
    this.#memory ??= now;
    return now > 2 * this.#memory && now > this.#workplace.memory / 2;
  }

  /**
   * Executes a run.
   *
   * @returns the outputs by their declared names
   * @throws Deferred; ProgramLost if the process has ended; otherwise an Error with the reason why the run fails
   */
  async run(
    job: Job,
    onProgress: (fraction: number) => void,
    kept: KeptFolder | undefined,
  ): Promise<Record<string, unknown>> {
    const { command, folder, program, messages } = this.#parts;
    const { files } = this.#workplace;
    this.runs += 1;
    const input = await deferIfShort(() => prepareInputs(job, files, folder));
    const source = path.dirname(job.code.entry);
    kept?.writeProgram(withModelPaths(command, [source]), source, `{"run":1,"inputs":${input}}\n`);
    program.beginRun(kept);
    const answer = messages.answer(this.runs, job.template.outputs, onProgress);
    const watch = job.isWatched ? ',"watch":true' : '';
    program.lines.write(`{"run":${this.runs},"inputs":${input}${watch}}\n`);
    const said = await Promise.race([answer, exitAfterOutput(program)]);
    await printedIsRead();
    program.lines.flush();
    program.kept = undefined;
    if ('signal' in said) {
      const why = program.failureOf(said) ?? 'the command ended before it gave its outputs';
      throw new ProgramLost(why, said);
    }
    if ('wrong' in said) throw new Error(said.wrong);
    this.whyLast = said.last;
    if ('error' in said) throw new Error(said.error);
    this.opened = said.opened;
    const outputs = byDeclaredName(said.outputs, job.template.outputs);
    return deferIfShort(() => storeFiles(outputs, job, files, folder), 'its files cannot be stored');
  }

  /** Removes what a run has left in the working folder. */
  clearWork(): void {
    removeFolderSync(this.folder, this.#left());
  }

  /** Moves what a run has left in the working folder to another folder, which is made. */
  async moveWork(to: string): Promise<void> {
    removeFolderSync(to);
    await mkdir(temporaryOf(to), { recursive: true });
    // the system moves no read-only folder
    allowRemoval(this.folder);
    for (const name of this.#left()) await rename(path.join(this.folder, name), path.join(to, name));
  }

  /** Ends the process and all that it has started. @param isGentle - whether it may end by itself first */
  async end(isGentle: boolean): Promise<void> {
    const { lines } = this.#parts.program;
    if (isGentle) {
      lines.endInput();
      await Promise.race([lines.exit, pause(GRACE, undefined, { ref: false })]);
    }
    lines.kill();
    await lines.exit;
    await this.#workplace.processes.end();
    removeFolderSync(this.folder);
  }

  #left(): string[] {
    return this.#present().filter((name) => !this.#own.has(name));
  }

  /** The entries of the working folder and of its folder for temporary files, relative to the working folder. */
  #present(): string[] {
    const temporary = temporaryOf(this.folder);
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    const inner = path.basename(temporary);
    const names = readdirSync(this.folder).filter((name) => name !== inner);
    return [...names, ...readdirSync(temporary).map((name) => path.join(inner, name))];
  }
}

/** Resolves when a program has ended and its output was read: its last message may be in the pipe when it ends. */
async function exitAfterOutput({ lines }: Program): Promise<Exit> {
  const exit = await lines.exit;
  await printedIsRead();
  return exit;
}

function whyNotLoaded(program: Program, { wrong }: LoopMessages, ended: Exit | 'late' | undefined): string {
  const what = '{"ready": {}}';
  if (wrong !== undefined) return `the model cannot be loaded: ${wrong}`;
  if (ended === 'late' || ended === undefined)
    return `the model cannot be loaded: the command did not print ${what} within ${PROGRAM_LOAD_LIMIT / 60_000} minutes`;
  return `the model cannot be loaded: ${program.failureOf(ended) ?? `the command ended before its line ${what}`}`;
}
