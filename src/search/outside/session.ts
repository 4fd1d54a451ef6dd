import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import type { OutsideMethod } from '../../campaign/search/search.ts';
import { isForayError, messageOf } from '../../errors.ts';
import { writeLog } from '../../log.ts';
import { environmentForOthers } from '../../system/environment-for-others.ts';
import { type Exit, type LineListener, LineProgram } from '../../system/line-program.ts';
import type { PrintedLine } from '../../system/line-splitter.ts';
import { steadyEnvironment } from '../../system/steady-environment.ts';
import { ownFile } from '../../package/own-files.ts';
import { bounded, printableLine } from '../../text/printable.ts';
import { type Answers, heardIn, optimiserFailed, shown } from './messages.ts';

/** The maximum number of characters of a line from standard error in the log. */
const LONGEST_COMPLAINT = 2_000;
/** The maximum number of lines from standard error of one process in the log. */
const MOST_COMPLAINTS = 1_000;
/** If a signal ends the command of a shell, the shell exits with this code plus the number of the signal. */
const SIGNALLED = 128;

/** The error when a signal has ended the process. Perhaps the optimiser is not at fault. */
export class Killed extends Error {}

interface Waiting {
  kind: keyof Answers;
  question: number;
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/** A process of an outside optimiser, from its start to its end. It has one question at a time. */
export class Session {
  /** Whether the optimiser can name the point that it believes to be the best. */
  recommends = false;
  #failure: Error | undefined;
  #waiting: Waiting | undefined;
  #questions = 0;
  /**
   * Whether an answer had the number of its question. Then each further answer must have the number of its question.
   */
  #namesQuestions = false;
  #lastComplaint = '';
  #complaints = 0;
  readonly #program: LineProgram;
  readonly #tell: (line: string) => void;
  readonly #onDiverged: () => void;

  /**
   * @param tell - receives lines for the log
   * @param onDiverged - called if the process proposes other points than before
   */
  constructor(
    program: Pick<OutsideMethod, 'command' | 'folder' | 'files'>,
    tell: (line: string) => void,
    onDiverged: () => void,
  ) {
    this.#tell = tell;
    this.#onDiverged = onDiverged;
    this.#program = start(program, {
      stdout: (line) => this.#hear(line),
      stderr: ({ bytes }) => this.#noteComplaint(bytes.toString().slice(0, LONGEST_COMPLAINT + 1)),
      onCut: (beginning) => this.#fail(tooLong(beginning)),
    });
    this.#program.started.catch((error: NodeJS.ErrnoException) =>
      this.#fail(optimiserFailed(notStarted(error, program))),
    );
    void this.#program.closed.then((exit) => this.#fail(this.#reasonOf(exit)));
  }

  get hasEnded(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * The error of the optimiser that has ended this session; undefined if there is none. A session can fail while no
   * question is waiting.
   */
  get fault(): Error | undefined {
    return isForayError(this.#failure) ? this.#failure : undefined;
  }

  send(message: object): void {
    this.#program.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * Sends a numbered question, and waits for the answer. An answer with another number is an error, because a late line
   * must not count as the answer to the next question.
   *
   * @param limit - time limit, ms
   * @throws ForayError OPTIMISER_FAILED if the answer is invalid, or does not come within the limit
   * @throws Killed if a signal ends the process
   */
  ask<K extends keyof Answers>(message: object, kind: K, limit: number): Promise<Answers[K]> {
    if (this.#failure) return Promise.reject(this.#failure);
    this.#questions += 1;
    const question = this.#questions;
    this.send({ ...message, question });
    return new Promise((resolve, reject) => {
      const seconds = Math.round(limit / 100) / 10;
      const tooLate = (): void => this.#fail(optimiserFailed(`has given no answer for ${seconds} s`));
      const timer = setTimeout(tooLate, limit);
      this.#waiting = { kind, question, resolve, reject, timer };
    });
  }

  /** Ends the process. A waiting question fails. */
  end(): void {
    this.#fail(new Error('The optimiser was ended.'));
  }

  /** Takes a line of standard output. */
  #hear({ bytes }: PrintedLine): void {
    const line = bytes.toString();
    if (line.trim() === '') return;
    try {
      const heard = heardIn(line);
      if (heard.kind === 'diverged') return this.#onDiverged();
      const waiting = this.#waiting;
      if (waiting?.kind !== heard.kind)
        throw optimiserFailed(`says ${shown(line)}, but nobody has asked for it`);
      this.#namesQuestions ||= heard.question !== null;
      if (this.#namesQuestions && heard.question !== waiting.question)
        throw optimiserFailed(
          heard.question === null
            ? `says ${shown(line)} without the number of the question, which its answers had before`
            : `says ${shown(line)}, which answers question ${heard.question}, but question ${waiting.question} was asked`,
        );
      this.#waiting = undefined;
      clearTimeout(waiting.timer);
      waiting.resolve(heard.answer as never);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #noteComplaint(line: string): void {
    if (line.trim() === '') return;
    this.#lastComplaint = line;
    this.#complaints += 1;
    if (this.#complaints <= MOST_COMPLAINTS) this.#tell(line);
    if (this.#complaints === MOST_COMPLAINTS) this.#tell('(its further output is not kept)');
  }

  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#program.kill();
    if (!this.#waiting) return;
    clearTimeout(this.#waiting.timer);
    this.#waiting.reject(error);
  }

  #reasonOf({ code, signal }: Exit): Error {
    if (signal !== null) return new Killed(`was ended by the signal ${signal}`);
    if (code! > SIGNALLED) return new Killed(`ended with exit code ${code}`);
    const last = this.#lastComplaint.trim();
    return optimiserFailed(`ended with exit code ${code}${last && `: ${shown(last)}`}`);
  }
}

function start(
  { command, folder, files }: Pick<OutsideMethod, 'command' | 'folder' | 'files'>,
  listener: LineListener,
): LineProgram {
  const words = command.map((word) => (Object.hasOwn(files, word) ? resolve(folder, word) : word));
  return new LineProgram({ command: words, folder, environment: environment(), leadsGroup: true }, listener);
}

/**
 * The environment of the worker without the settings of foray, Temporal and PostgreSQL. PYTHONPATH leads to the module
 * `foray_search`.
 */
function environment(): NodeJS.ProcessEnv {
  const others = environmentForOthers();
  return {
    ...others,
    ...steadyEnvironment(),
    PYTHONPATH: [ownFile('python'), others['PYTHONPATH']].filter(Boolean).join(delimiter),
  };
}

function tooLong(beginning: Buffer): Error {
  return optimiserFailed(
    `says ${shown(beginning.toString())} on its standard output, but this is too long for a message`,
  );
}

function notStarted(
  error: NodeJS.ErrnoException,
  { command, folder }: Pick<OutsideMethod, 'command' | 'folder'>,
): string {
  return `${shown(command[0]!)} cannot be started: ${whyNotStarted(error, folder)}`;
}

function whyNotStarted(error: NodeJS.ErrnoException, folder: string): string {
  if (!existsSync(folder)) return `there is no folder ${folder} on the machine of the worker`;
  if (error.code === 'ENOENT') return 'there is no such program';
  return error.code === 'EACCES' ? 'it may not be executed' : messageOf(error);
}

/** Writes a line of an optimiser to the worker's log. */
export function logLine(campaign: string, line: string): void {
  const what = bounded(printableLine(line), LONGEST_COMPLAINT);
  writeLog('info', `optimiser: ${what}`, `optimiser of ${campaign}: ${what}`, { campaign });
}
