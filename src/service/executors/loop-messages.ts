import type { OutputDescriptor } from '../../api/resources.ts';
import type { PrintedLine } from '../../system/line-splitter.ts';
import type { PythonBuild } from '../models/python-build.ts';
import { checkUtf8 } from './encoding.ts';
import { type LineLog, longsAmong, MessageLines, printBefore, tooLong } from './program-messages.ts';
import { type IsLong, type LoopAnswer, readLoopLine } from './lines.ts';

/** What a program said about a run. `wrong`: the program cannot be trusted any more. */
export type Said = LoopAnswer | { wrong: string };

interface Asked {
  run: number;
  isLong: IsLong;
  onProgress: (fraction: number) => void;
  settle: (said: Said) => void;
}

/** Reads the messages of a program that stays loaded, and sends its other lines to the log of the current run. */
export class LoopMessages {
  /** Resolves when the program is loaded, or has printed something wrong. */
  readonly ready: Promise<void>;
  readonly #log: LineLog;
  readonly #lines: MessageLines;
  #onReady: () => void = () => {};
  #isReady = false;
  #python: PythonBuild | undefined;
  #asked: Asked | undefined;
  #wrong: string | undefined;

  constructor(log: LineLog) {
    this.#log = log;
    this.ready = new Promise((resolve) => (this.#onReady = resolve));
    this.#lines = new MessageLines(
      log,
      (line, text) => this.#read(line, text),
      (problem) => this.#distrust(problem),
    );
  }

  /** What was wrong in a message of the program; undefined if nothing was. Its further answers mean nothing. */
  get wrong(): string | undefined {
    return this.#wrong;
  }

  /** The Python and the packages that it said when it was loaded. */
  get python(): PythonBuild | undefined {
    return this.#python;
  }

  handle(line: PrintedLine): void {
    this.#lines.handle(line);
  }

  /** Resolves when the program has answered for the run. */
  answer(
    run: number,
    outputs: readonly OutputDescriptor[],
    onProgress: (fraction: number) => void,
  ): Promise<Said> {
    return new Promise((settle) => {
      this.#asked = { run, isLong: longsAmong(outputs), onProgress, settle };
    });
  }

  #read({ bytes, isCut, end }: PrintedLine, text: string): boolean {
    if (isCut) {
      if (bytes.includes('"run"')) throw new Error(tooLong('run'));
      return false;
    }
    const line = readLoopLine(text, this.#asked?.isLong ?? (() => false));
    switch (line.kind) {
      case 'print':
        return false;
      case 'ready':
        this.#isReady = true;
        this.#python = line.python;
        this.#onReady();
        return true;
      case 'progress':
        this.#check(line.run);
        if (line.fraction !== undefined) this.#asked!.onProgress(line.fraction);
        return true;
      case 'answer': {
        this.#check(line.run);
        if ('outputs' in line.answer) checkUtf8(bytes, text);
        printBefore(this.#log, line.before, end);
        const { settle } = this.#asked!;
        this.#asked = undefined;
        settle(line.answer);
        return true;
      }
    }
  }

  /** @throws Error if the program was not asked for the run */
  #check(run: number): void {
    if (!this.#isReady) throw new Error('it answered before its line {"ready": {}}');
    if (run === this.#asked?.run) return;
    const asked = this.#asked ? `run ${this.#asked.run} was asked for` : 'no run was asked for';
    throw new Error(`it answered for run ${run}, but ${asked}`);
  }

  #distrust(problem: string): void {
    this.#wrong ??= `the command printed something wrong: ${problem}`;
    this.#onReady();
    this.#asked?.settle({ wrong: this.#wrong });
    this.#asked = undefined;
  }
}
