import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { messageOf } from '../../errors.ts';
import { environmentForOthers } from '../../system/environment-for-others.ts';
import { type Exit, LineProgram } from '../../system/line-program.ts';
import type { PrintedLine } from '../../system/line-splitter.ts';
import { Deferred } from '../deferred.ts';
import { MARK, modelEnvironmentOf } from '../environment.ts';
import { isShortage } from '../system-errors.ts';
import { Complaint } from '../complaint.ts';
import type { LineLog } from './program-messages.ts';
import type { KeptFolder } from './kept.ts';
import { faultOfScript, whyNotStarted } from './start-failure.ts';
import { deferIfShort, temporaryOf } from './working-folder.ts';
import { temporaryVariables } from './workplace.ts';

/** A shell adds the number of the signal that ended its command to this exit code. */
const BY_SIGNAL = 128;

export interface ProgramOptions {
  /** The program and its arguments. */
  words: readonly string[];
  modelFolder: string;
  /** The working folder. */
  folder: string;
  isElsewhere: boolean | undefined;
  /** The log of standard error. */
  log: LineLog;
  /** Gets the lines of standard output. */
  onLine: (line: PrintedLine) => void;
}

export class Program {
  /** The kept folder of the current run; undefined if none is kept. */
  kept: KeptFolder | undefined;
  readonly lines: LineProgram;
  readonly #words: readonly string[];
  #complaint = new Complaint();

  private constructor({ words, modelFolder, folder, log, onLine }: ProgramOptions) {
    this.#words = words;
    const environment = {
      ...environmentForOthers(),
      ...modelEnvironmentOf(modelFolder),
      ...temporaryVariables(temporaryOf(folder)),
      [MARK]: process.env[MARK],
    };
    this.lines = new LineProgram(
      { command: words, folder, environment, leadsGroup: false },
      {
        stdout: onLine,
        stderr: (line) => {
          log.add(line);
          this.#complaint.add(line.bytes.toString());
        },
        onBytes: (stream, bytes) => this.kept?.[stream].add(bytes),
      },
    );
  }

  /** @throws Deferred if the machine is the reason why it cannot be started, otherwise an Error with the reason */
  static async start(options: ProgramOptions): Promise<Program> {
    try {
      return await deferIfShort(async () => {
        const program = new Program(options);
        await program.lines.started.catch((error: unknown) => {
          throw isShortage(error) ? error : notStarted(options, error);
        });
        return program;
      });
    } catch (error) {
      throw options.isElsewhere && !(error instanceof Deferred)
        ? new Deferred(messageOf(error), { isLasting: true })
        : error;
    }
  }

  /** From now on, output is also written to `kept`, if it is given. Forgets what earlier runs have complained about. */
  beginRun(kept: KeptFolder | undefined): void {
    this.kept = kept;
    this.#complaint = new Complaint();
  }

  /** Why a run failed with the end of its program; undefined if the program has ended well. */
  failureOf({ code, signal }: Exit): string | undefined {
    if (signal !== null) return `the command was ended by the signal ${signal}${meaningOf(signal)}`;
    return code === 0
      ? undefined
      : `the command ended with exit code ${code}${detail(code!, this.#words, this.#complaint)}`;
  }
}

/**
 * Replaces words of the command that name a file of the model's folder by the path of that file, because the program
 * runs in another folder.
 *
 * @param folders - the first folder with the file counts
 */
export function withModelPaths(command: readonly string[], folders: readonly string[]): string[] {
  return command.map((word) => {
    const places = folders.map((folder) => path.join(folder, word));
    return places.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile()) ?? word;
  });
}

function notStarted({ words: [program], modelFolder }: ProgramOptions, error: unknown): Error {
  const name = program!.startsWith(modelFolder) ? path.relative(modelFolder, program!) : program;
  return new Error(`the command "${name}" cannot be started: ${whyNotStarted(program!, error)}`, {
    cause: error,
  });
}

function meaningOf(signal: NodeJS.Signals): string {
  return signal === 'SIGKILL' ? ', perhaps because the memory of the machine was exhausted' : '';
}

/** The rest of a sentence that ends with an exit code: what the code means, and what the program complained about. */
function detail(code: number, words: readonly string[], complaint: Complaint): string {
  const signal = (Object.entries(os.constants.signals) as [NodeJS.Signals, number][]).find(
    ([, number]) => number === code - BY_SIGNAL,
  )?.[0];
  const meaning = signal === undefined ? '' : ` (the signal ${signal}${meaningOf(signal)})`;
  const why = faultOfScript(code, words) || complaint.text();
  return `${meaning}${why === '' ? '' : `: ${why}`}`;
}
