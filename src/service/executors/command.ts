import { isUtf8 } from 'node:buffer';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, statfsSync, statSync } from 'node:fs';
import { copyFile, mkdir, realpath, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { InputType } from '../../api/constants.ts';
import type { OutputDescriptor } from '../../api/resources.ts';
import { nameKey } from '../../api/values.ts';
import { messageOf } from '../../errors.ts';
import type { ContentFiles } from '../files/content.ts';
import { isShortage } from '../system-errors.ts';
import { Deferred } from '../deferred.ts';
import { MARK, modelEnvironment, modelEnvironmentOf } from '../environment.ts';
import { Complaint } from './complaint.ts';
import type { Forwarding } from './forwarding.ts';
import { inputFileName, type KeptFolder } from './kept.ts';
import { LineSplitter, LONGEST_MESSAGE, type PrintedLine } from './line-splitter.ts';
import { readLine } from './lines.ts';
import type { OwnCopy } from './own-copy.ts';
import type { Job, Left } from './protocol.ts';
import { faultOfShebang, whyNotStarted } from './start-failure.ts';
import { temporaryIn, type Workplace } from './workplace.ts';

/** How long to read standard output after the end of the program, while other processes may still print, ms. */
const LINGER = 1_000;
/** A disk with less free space than this counts as full, in bytes. */
const LEAST_ROOM = 2 ** 20;
/** What programs print when the disk, or a quota on it, is full. */
const NO_ROOM = /ENOSPC|EDQUOT|no space left on device|disk quota exceeded/i;
/** The folder for temporary files, in the working folder of a run. */
const TEMPORARY = '.tmp';
/** The exit code of a shell or of `env` that has not found a command. */
const NOT_FOUND = 127;
/** A shell adds the number of the signal that ended its command to this exit code. */
const BY_SIGNAL = 128;

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
  /** Whether the log says that a report of progress is ignored. */
  isTold?: boolean;
}

/** The outputs of a run, and what the run left behind. */
export interface CommandEnd {
  outputs: Record<string, unknown>;
  left: Left;
}

/**
 * Runs the program of a command model once (docs/guides/models.md): inputs as JSON on standard input, progress and
 * outputs as lines of JSON on standard output, files in a working folder for this run. The program belongs to a copy of
 * the model. When this function ends, no process of the run is left, and its working folder is removed.
 *
 * @throws Deferred if the system lacks a resource for the program or its files, or the program failed while the disk was
 * full. On another machine than the service, Deferred also means that the program cannot be started. Any other Error
 * has the reason why the run fails
 */
export async function runCommand(
  command: readonly string[],
  job: Job,
  copy: OwnCopy,
  workplace: Workplace,
  onProgress: (fraction: number) => void,
  kept: KeptFolder | undefined,
): Promise<CommandEnd> {
  const { files } = workplace;
  const folder = files.workPath(job.runId);
  copy.prepare();
  try {
    const input = await deferIfShort(() => prepareInputs(job, files, folder));
    const source = path.dirname(job.code.entry);
    kept?.writeProgram(inModel(command, [source]), source, input);
    const words = inModel(command, [copy.folder, source]);
    const child = await deferIfShort(() => start(words, copy.folder, folder)).catch((error: unknown) => {
      throw job.isElsewhere && !(error instanceof Deferred)
        ? new Deferred(messageOf(error), { isLasting: true })
        : error;
    });
    if (kept) {
      child.stdout!.on('data', (chunk: Buffer) => kept.stdout.add(chunk));
      child.stderr!.on('data', (chunk: Buffer) => kept.stderr.add(chunk));
    }
    let processes: string[] = [];
    const endRest = async (): Promise<void> => {
      processes = await workplace.processes.end();
    };
    const outputs = await converse(child, { input, words, job, workplace, onProgress, endRest }).catch(
      async (error: unknown) => {
        throw await failureOf(error, job, files);
      },
    );
    const stored = await deferIfShort(
      () => storeFiles(outputs, job, files, folder),
      'its files cannot be stored',
    );
    return { outputs: stored, left: { files: copy.restore(), processes } };
  } catch (error) {
    copy.restore();
    throw error;
  } finally {
    // files that cannot be removed now are removed before the next attempt, or at the next start of the service
    if (!kept) await files.removeWork(job.runId).catch(() => {});
  }
}

/**
 * Why a program has failed: its own error, or Deferred if the disk was full. If the disk has room without the files of
 * the run, the run itself may fill the disk. Then it is put back only a limited number of times.
 */
async function failureOf(error: unknown, { runId }: Job, files: ContentFiles): Promise<unknown> {
  const message = messageOf(error);
  const saysSo = NO_ROOM.test(message);
  const folder = files.workPath(runId);
  if (!saysSo && !isFull(folder)) return error;
  await files.removeWork(runId);
  const isLasting = !saysSo || !isFull(path.dirname(folder));
  return new Deferred(`the disk is full: ${message}`, { isLasting });
}

function isFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < LEAST_ROOM;
}

async function deferIfShort<T>(act: () => Promise<T>, what = 'its program cannot be started'): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isShortage(error)) throw new Deferred(`${what}: ${messageOf(error)}`);
    throw error;
  }
}

/**
 * Makes the working folder, and returns the inputs for the program: a JSON object by name. The value of an INPUT_FILE
 * is the name of a file in this folder, or null for no file.
 */
async function prepareInputs(job: Job, files: ContentFiles, folder: string): Promise<string> {
  // an earlier attempt may have left a folder
  await files.removeWork(job.runId);
  await mkdir(path.join(folder, TEMPORARY), { recursive: true });
  const members = [];
  for (const [index, { name, type }] of job.template.inputs.entries()) {
    const value = job.inputs[name]!;
    let json = jsonOf(type, value);
    if (type === 'INPUT_FILE') {
      const file = value === '' ? null : inputFileName(index);
      if (file !== null) {
        await files.require(value);
        // a copy, so that the program cannot change the stored file
        await copyFile(files.pathOf(value), path.join(folder, file), constants.COPYFILE_FICLONE);
      }
      json = JSON.stringify(file);
    }
    members.push(`${JSON.stringify(name)}:${json}`);
  }
  return `{${members.join(',')}}\n`;
}

/** The JSON of a canonical value. Canonical numbers and booleans are already JSON, with all digits. */
function jsonOf(type: InputType, canonical: string): string {
  return ['DOUBLE', 'INTEGER', 'LONG', 'BOOLEAN'].includes(type) ? canonical : JSON.stringify(canonical);
}

/**
 * Replaces words of the command that name a file of the model's folder by the path of that file, because the program
 * runs in another folder.
 *
 * @param folders - the first folder with the file counts
 */
function inModel(command: readonly string[], folders: readonly string[]): string[] {
  return command.map((word) => {
    const places = folders.map((folder) => path.join(folder, word));
    return places.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile()) ?? word;
  });
}

async function start(
  [program, ...args]: readonly string[],
  modelFolder: string,
  folder: string,
): Promise<ChildProcess> {
  const child = spawn(program!, args, {
    cwd: folder,
    env: {
      ...modelEnvironment(),
      ...modelEnvironmentOf(modelFolder),
      ...temporaryIn(path.join(folder, TEMPORARY)),
      [MARK]: process.env[MARK],
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  try {
    await once(child, 'spawn');
    return child;
  } catch (error) {
    if (isShortage(error)) throw error;
    const name = program!.startsWith(modelFolder) ? path.relative(modelFolder, program!) : program;
    throw new Error(`the command "${name}" cannot be started: ${whyNotStarted(program!, error)}`, {
      cause: error,
    });
  }
}

interface Conversation {
  input: string;
  words: readonly string[];
  job: Job;
  workplace: Workplace;
  onProgress: (fraction: number) => void;
  /** Ends the processes that the program has left. */
  endRest: () => Promise<void>;
}

async function converse(
  child: ChildProcess,
  { input, words, job: { template }, workplace, onProgress, endRest }: Conversation,
): Promise<Record<string, unknown>> {
  const exit = once(child, 'exit');
  const closed = once(child, 'close');
  const { stdout, stderr } = workplace.printed;
  const complaint = new Complaint();
  const hearing = new Hearing(template.outputs, stdout, onProgress);
  const lines = {
    stdout: new LineSplitter((line) => hearing.handle(line)),
    stderr: new LineSplitter((line) => {
      stderr.add(line);
      complaint.add(line.bytes.toString());
    }),
  };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]!.on('data', (chunk: Buffer) => lines[stream].add(chunk)).on('end', () =>
      lines[stream].close(),
    );
  }
  // a program may ignore its inputs, or have ended
  child.stdin!.on('error', () => {});
  child.stdin!.end(input);
  const [code, signal] = (await exit) as [number | null, NodeJS.Signals | null];
  // a process that the program has started may still print the outputs
  await Promise.race([closed, hearing.hasOutputs, pause(LINGER, undefined, { ref: false })]);
  await endRest();
  await Promise.race([closed, pause(LINGER, undefined, { ref: false })]);
  if (signal !== null) throw new Error(`the command was ended by the signal ${signal}${meaningOf(signal)}`);
  if (code !== 0)
    throw new Error(`the command ended with exit code ${code}${detail(code!, words, complaint)}`);
  return declared(hearing.outputs(), template.outputs);
}

/** Reads the messages of a program on its standard output, and sends its other lines to the log. */
class Hearing {
  /** Resolves when the program has given its outputs. */
  readonly hasOutputs: Promise<void>;
  readonly #longs: ReadonlySet<string>;
  readonly #log: Forwarding;
  readonly #onProgress: (fraction: number) => void;
  readonly #heard: Heard = {};
  /** Whether the last line was a message that ended with a carriage return. A line feed after it is no empty line. */
  #isReturn = false;
  #onOutputs: () => void = () => {};

  constructor(outputs: readonly OutputDescriptor[], log: Forwarding, onProgress: (fraction: number) => void) {
    this.#longs = new Set(outputs.filter(({ type }) => type === 'LONG').map(({ name }) => nameKey(name)));
    this.#log = log;
    this.#onProgress = onProgress;
    this.hasOutputs = new Promise((resolve) => (this.#onOutputs = resolve));
  }

  handle(line: PrintedLine): void {
    const isRest = this.#isReturn && line.bytes.length === 0 && line.end === '\n';
    this.#isReturn = false;
    if (isRest) return;
    try {
      if (line.bytes.includes('{') && this.#read(line)) this.#isReturn = line.end === '\r';
      else this.#log.add(line);
    } catch (error) {
      this.#heard.problem ??= messageOf(error);
      // a person who looks for the reason must see the line
      this.#log.add(line);
    }
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

  /**
   * Returns whether the line is a message.
   *
   * @throws Error if it has outputs that are not valid
   */
  #read({ bytes, isCut, end }: PrintedLine): boolean {
    const heard = this.#heard;
    if (isCut) {
      if (bytes.includes('"outputs"'))
        heard.suspect ??= `a line with "outputs" is longer than ${LONGEST_MESSAGE / 2 ** 20} MiB`;
      return false;
    }
    const text = bytes.toString();
    const line = readLine(text, (name) => this.#longs.has(nameKey(name)));
    switch (line.kind) {
      case 'progress':
        this.#onProgress(line.fraction);
        return true;
      case 'outputs':
        if (!isUtf8(bytes)) throw new Error(`its outputs are not UTF-8, as in ${placeOfWrong(text)}`);
        if (heard.outputs) throw new Error('it gave its outputs twice');
        heard.outputs = line.outputs;
        this.#onOutputs();
        if (line.before.trim() !== '') this.#print(line.before, end);
        return true;
      case 'print':
        if (line.problem) heard.suspect ??= line.problem;
        if (line.ignored && !heard.isTold) this.#print(`foray ignores this line: ${line.ignored}`, '\n');
        heard.isTold ||= line.ignored !== undefined;
        return false;
    }
  }

  #print(text: string, end: PrintedLine['end']): void {
    this.#log.add({ bytes: Buffer.from(text), isCut: false, end });
  }
}

/** The text around the first character that is not UTF-8. */
function placeOfWrong(text: string): string {
  const at = text.indexOf('\u{fffd}');
  return JSON.stringify(text.slice(Math.max(0, at - 20), at + 20));
}

function meaningOf(signal: NodeJS.Signals): string {
  return signal === 'SIGKILL' ? ', perhaps because the memory of the machine was exhausted' : '';
}

/** The rest of a sentence that ends with an exit code: what the code means, and what the program complained about. */
function detail(code: number, [program]: readonly string[], complaint: Complaint): string {
  const signal = (Object.entries(os.constants.signals) as [NodeJS.Signals, number][]).find(
    ([, number]) => number === code - BY_SIGNAL,
  )?.[0];
  const meaning = signal === undefined ? '' : ` (the signal ${signal}${meaningOf(signal)})`;
  const why = (code === NOT_FOUND && faultOfShebang(program!)) || complaint.text();
  return `${meaning}${why === '' ? '' : `: ${why}`}`;
}

/** The outputs by their declared names, whatever the case of letters. Texts of infinite DOUBLEs become numbers. */
function declared(
  given: Record<string, unknown>,
  outputs: readonly OutputDescriptor[],
): Record<string, unknown> {
  const byKey = new Map(outputs.map((output) => [nameKey(output.name), output]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const output = byKey.get(nameKey(name));
      if (output === undefined) {
        throw new Error(`the command gave an output "${name}", which the model does not declare`);
      }
      return [output.name, output.type === 'DOUBLE' && isInfinite(value) ? Number(value) : value];
    }),
  );
}

/** Whether a value is the text of an infinite number. Programs write it because JSON has no infinite numbers. */
function isInfinite(value: unknown): boolean {
  return value === 'Infinity' || value === '-Infinity';
}

/** Stores the files that the program names as outputs. They must be in the working folder. */
async function storeFiles(
  outputs: Record<string, unknown>,
  { template }: Job,
  files: ContentFiles,
  folder: string,
): Promise<Record<string, unknown>> {
  const named = new Map<string, string>();
  for (const { name, type } of template.outputs) {
    const value = outputs[name];
    if (type !== 'OUTPUT_FILE' || typeof value !== 'string') continue;
    const file = await fileIn(folder, value);
    if (file === undefined) {
      throw new Error(`the output "${name}" names "${value}", which is not a file in the working folder`);
    }
    named.set(name, file);
  }
  // only now, because a stored file leaves the folder, and several outputs may name it
  const hashes = new Map<string, string>();
  for (const [name, file] of named) {
    const hash = hashes.get(file) ?? (await files.addFile(file));
    hashes.set(file, hash);
    outputs[name] = { hash, localPath: path.relative(folder, path.resolve(folder, outputs[name] as string)) };
  }
  return outputs;
}

/** The real path of a file in a folder; undefined if the file does not exist or is outside the folder. */
async function fileIn(folder: string, name: string): Promise<string | undefined> {
  try {
    const file = await realpath(path.resolve(folder, name));
    const isInside = file.startsWith(`${await realpath(folder)}${path.sep}`);
    return isInside && (await stat(file)).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}
