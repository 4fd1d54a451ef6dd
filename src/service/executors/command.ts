import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, statfsSync, statSync } from 'node:fs';
import { copyFile, mkdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { InputType } from '../../api/constants.ts';
import type { OutputDescriptor } from '../../api/resources.ts';
import { nameKey } from '../../api/values.ts';
import { messageOf } from '../../errors.ts';
import type { ContentFiles } from '../files/content.ts';
import { isShortage } from '../system-errors.ts';
import { Deferred } from '../deferred.ts';
import { modelEnvironment, modelEnvironmentOf } from '../environment.ts';
import { inputFileName, type KeptFolder } from './kept.ts';
import { readLine } from './lines.ts';
import type { Job } from './protocol.ts';

/**
 * How long to read standard output after the end of the program, if one of its child processes holds it open, ms.
 */
const LINGER = 1_000;
/** A disk with less free space than this counts as full, in bytes. */
const LEAST_ROOM = 2 ** 20;
/** The longest part of standard error in a message, in characters. */
const LONGEST_COMPLAINT = 500;

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
}

/**
 * Runs the program of a command model once (docs/guides/models.md): inputs as JSON on standard input, progress and
 * outputs as lines of JSON on standard output, files in a working folder for this run.
 *
 * @throws Deferred if the system lacks a resource for the program or its files. On another machine than the service,
 * Deferred also means that the program cannot be started, or failed while the disk was full. Any other Error has the
 * reason why the run fails
 */
export async function runCommand(
  command: readonly string[],
  job: Job,
  files: ContentFiles,
  onProgress: (fraction: number) => void,
  kept: KeptFolder | undefined,
): Promise<Record<string, unknown>> {
  const folder = files.workPath(job.runId);
  try {
    const input = await deferIfShort(() => prepareInputs(job, files, folder));
    const modelFolder = path.dirname(job.code.entry);
    const words = inModel(command, modelFolder);
    kept?.writeProgram(words, modelFolder, input);
    const child = await deferIfShort(() => start(words, modelFolder, folder)).catch((error: unknown) => {
      throw job.isElsewhere ? new Deferred(messageOf(error)) : error;
    });
    if (kept) {
      child.stdout!.on('data', (chunk: Buffer) => kept.stdout.add(chunk));
      child.stderr!.on('data', (chunk: Buffer) => kept.stderr.add(chunk));
    }
    const outputs = await converse(child, input, job, onProgress).catch((error: unknown) => {
      throw job.isElsewhere && isFull(folder) ? new Deferred(`the disk is full: ${messageOf(error)}`) : error;
    });
    return await deferIfShort(() => storeFiles(outputs, job, files, folder), 'its files cannot be stored');
  } finally {
    // files that cannot be removed now are removed before the next attempt, or at the next start of the service
    if (!kept) await files.removeWork(job.runId).catch(() => {});
  }
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
  await mkdir(folder);
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
 */
function inModel(command: readonly string[], modelFolder: string): string[] {
  return command.map((word) => {
    const file = path.join(modelFolder, word);
    return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : word;
  });
}

async function start(
  [program, ...args]: readonly string[],
  modelFolder: string,
  folder: string,
): Promise<ChildProcess> {
  const child = spawn(program!, args, {
    cwd: folder,
    env: { ...modelEnvironment(), ...modelEnvironmentOf(modelFolder) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  try {
    await once(child, 'spawn');
    return child;
  } catch (error) {
    if (isShortage(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT'
        ? 'there is no such program'
        : code === 'EACCES'
          ? 'it may not be executed'
          : messageOf(error);
    throw new Error(`the command "${program}" cannot be started: ${why}`, { cause: error });
  }
}

async function converse(
  child: ChildProcess,
  input: string,
  { template }: Job,
  onProgress: (fraction: number) => void,
): Promise<Record<string, unknown>> {
  const exit = once(child, 'exit');
  const heard: Heard = {};
  const longs = new Set(
    template.outputs.filter(({ type }) => type === 'LONG').map(({ name }) => nameKey(name)),
  );
  const lines = createInterface({ input: child.stdout! });
  lines.on('line', (text) => handleLine(text, heard, longs, onProgress));
  let complaint = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    process.stderr.write(text);
    complaint = (complaint + text).slice(-2 * LONGEST_COMPLAINT);
  });
  // a program may ignore its inputs, or have ended
  child.stdin!.on('error', () => {});
  child.stdin!.end(input);
  const said = once(lines, 'close');
  const [code, signal] = (await exit) as [number | null, NodeJS.Signals | null];
  await Promise.race([said, pause(LINGER, undefined, { ref: false })]);
  if (signal !== null) throw new Error(`the command was ended by the signal ${signal}`);
  if (code !== 0) throw new Error(`the command ended with exit code ${code}${lastLine(complaint)}`);
  if (heard.problem) throw new Error(`the command printed something wrong: ${heard.problem}`);
  if (!heard.outputs) {
    throw new Error(
      `the command ended without a line {"outputs": {…}} on its standard output${heard.suspect ? `; ${heard.suspect}` : ''}`,
    );
  }
  return declared(heard.outputs, template.outputs);
}

function handleLine(
  text: string,
  heard: Heard,
  longs: ReadonlySet<string>,
  onProgress: (fraction: number) => void,
): void {
  try {
    const line = readLine(text, (name) => longs.has(nameKey(name)));
    if (line.kind === 'progress') onProgress(line.fraction);
    if (line.kind === 'outputs') {
      if (heard.outputs) throw new Error('it gave its outputs twice');
      heard.outputs = line.outputs;
    }
    if (line.kind === 'print') {
      if (line.problem) heard.suspect ??= line.problem;
      process.stdout.write(`${text}\n`);
    }
  } catch (error) {
    heard.problem ??= messageOf(error);
    // a person who looks for the reason must see the line
    process.stdout.write(`${text}\n`);
  }
}

/** The last line that a failed program wrote to standard error. In most languages, this line is the error itself. */
function lastLine(complaint: string): string {
  const line = complaint.trimEnd().split('\n').at(-1)!.trim();
  return line && `: ${line.slice(0, LONGEST_COMPLAINT)}`;
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
