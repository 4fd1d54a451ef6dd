import type { OutputDescriptor } from '../../api/resources.ts';
import { nameKey } from '../../api/values.ts';
import { messageOf } from '../../errors.ts';
import { LONGEST_MESSAGE, type PrintedLine } from '../../system/line-splitter.ts';
import { checkUtf8, textOf } from './encoding.ts';
import { type IsLong, readLine } from './lines.ts';

/** Gets the lines of a program that are no messages. */
export interface LineLog {
  add(line: PrintedLine): void;
}

/** The messages of a program about its run. */
interface Heard {
  outputs?: Record<string, unknown>;
  /** The first mistake in its messages. */
  problem?: string;
  /**
   * Why a line that looks like a message is not a valid one. Only the first such line counts. The program probably
   * meant its outputs.
   */
  suspect?: string;
  /** Whether the log already says that a report of progress is ignored. */
  isTold?: boolean;
}

/** Reads the messages of a program on its standard output, and sends its other lines to the log. */
export class ProgramMessages {
  /** Resolves when the program has given its outputs. */
  readonly hasOutputs: Promise<void>;
  readonly #lines: MessageLines;
  readonly #isLong: IsLong;
  readonly #log: LineLog;
  readonly #onProgress: (fraction: number) => void;
  readonly #heard: Heard = {};
  #onOutputs: () => void = () => {};

  constructor(outputs: readonly OutputDescriptor[], log: LineLog, onProgress: (fraction: number) => void) {
    this.#isLong = longsAmong(outputs);
    this.#log = log;
    this.#onProgress = onProgress;
    this.hasOutputs = new Promise((resolve) => (this.#onOutputs = resolve));
    this.#lines = new MessageLines(
      log,
      (line, text) => this.#read(line, text),
      (problem) => (this.#heard.problem ??= problem),
    );
  }

  handle(line: PrintedLine): void {
    this.#lines.handle(line);
  }

  /** @throws Error with the reason why the outputs are missing or wrong */
  outputs(): Record<string, unknown> {
    const { outputs, problem, suspect } = this.#heard;
    if (problem) throw new Error(`the command printed something wrong: ${problem}`);
    if (outputs) return outputs;
    throw new Error(
      `the command ended without a line {"outputs": {…}} on its standard output${suspect ? `; ${suspect}` : ''}`,
    );
  }

  /** Returns whether the line is a message. @throws Error if it has outputs that are not valid */
  #read({ bytes, isCut, end }: PrintedLine, text: string): boolean {
    const heard = this.#heard;
    if (isCut) {
      if (bytes.includes('"outputs"')) heard.suspect ??= tooLong('outputs');
      return false;
    }
    const line = readLine(text, this.#isLong);
    switch (line.kind) {
      case 'progress':
        this.#onProgress(line.fraction);
        return true;
      case 'outputs':
        checkUtf8(bytes, text);
        if (heard.outputs) throw new Error('it gave its outputs twice');
        heard.outputs = line.outputs;
        this.#onOutputs();
        printBefore(this.#log, line.before, end);
        return true;
      case 'print':
        if (line.problem) heard.suspect ??= line.problem;
        if (line.ignored && !heard.isTold) print(this.#log, `foray ignores this line: ${line.ignored}`);
        heard.isTold ||= line.ignored !== undefined;
        return false;
    }
  }
}

/** Separates the messages of a program from its other lines, which go to the log. */
export class MessageLines {
  readonly #log: LineLog;
  readonly #read: (line: PrintedLine, text: string) => boolean;
  readonly #onWrong: (problem: string) => void;
  /** Whether the last line was a message that ended with a carriage return. A line feed after it is no empty line. */
  #isReturn = false;

  /**
   * @param read - returns whether a line is a message; throws an Error if it is a wrong one
   * @param onWrong - called with the text of this error
   */
  constructor(
    log: LineLog,
    read: (line: PrintedLine, text: string) => boolean,
    onWrong: (problem: string) => void,
  ) {
    this.#log = log;
    this.#read = read;
    this.#onWrong = onWrong;
  }

  handle(line: PrintedLine): void {
    const isRest = this.#isReturn && line.bytes.length === 0 && line.end === '\n';
    this.#isReturn = false;
    if (isRest) return;
    try {
      if (line.bytes.includes('{') && this.#read(line, textOf(line.bytes)))
        this.#isReturn = line.end === '\r';
      else this.#log.add(line);
    } catch (error) {
      this.#onWrong(messageOf(error));
      // a person who looks for the reason must see the line
      this.#log.add(line);
    }
  }
}

export function longsAmong(outputs: readonly OutputDescriptor[]): IsLong {
  const longs = new Set(outputs.filter(({ type }) => type === 'LONG').map(({ name }) => nameKey(name)));
  return (name) => longs.has(nameKey(name));
}

export function tooLong(key: string): string {
  return `a line with "${key}" is longer than ${LONGEST_MESSAGE / 2 ** 20} MiB`;
}

/** Logs the text before a message on its line. */
export function printBefore(log: LineLog, before: string, end: PrintedLine['end']): void {
  if (before.trim() !== '') print(log, before, end);
}

export function print(log: LineLog, text: string, end: PrintedLine['end'] = '\n'): void {
  log.add({ bytes: Buffer.from(text), isCut: false, end });
}
