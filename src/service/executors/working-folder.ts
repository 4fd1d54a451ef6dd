import { constants, mkdirSync, statfsSync } from 'node:fs';
import { copyFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { type InputType, isNumericType } from '../../api/constants.ts';
import type { OutputDescriptor } from '../../api/resources.ts';
import { byName, nameKey } from '../../api/values.ts';
import { messageOf } from '../../errors.ts';
import { Deferred } from '../deferred.ts';
import type { ContentFiles } from '../files/content.ts';
import { isShortage } from '../system-errors.ts';
import { inputFileName } from './kept.ts';
import type { Job } from './protocol.ts';

/** A disk with less free space than this counts as full, in bytes. */
const LEAST_ROOM = 2 ** 20;
/** What programs print when the disk, or a quota on it, is full. */
const NO_ROOM = /ENOSPC|EDQUOT|no space left on device|disk quota exceeded/i;
/** The folder for temporary files, in a working folder. */
const TEMPORARY = '.tmp';

/** The folder for temporary files of a program that works in `folder`. */
export function temporaryOf(folder: string): string {
  return path.join(folder, TEMPORARY);
}

/**
 * The error of a run, or Deferred in its place if the disk was full.
 *
 * @param folder - the working folder
 * @param clear - removes the files of the run
 */
export async function deferredIfFull(
  error: unknown,
  folder: string,
  clear: () => Promise<void> | void,
): Promise<unknown> {
  if (error instanceof Deferred) return error;
  const message = messageOf(error);
  const saysFull = NO_ROOM.test(message);
  const disk = path.dirname(folder);
  if (!saysFull && !isFull(disk)) return error;
  await clear();
  // the run itself may be the reason: it does not say that the disk is full, or the disk has room without its files
  const mayBeOfRun = !saysFull || !isFull(disk);
  return new Deferred(`the disk is full: ${message}`, { isLasting: mayBeOfRun });
}

function isFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < LEAST_ROOM;
}

/** Does what needs a resource of the system. @throws Deferred if the system lacks it, and any other error as it is */
export async function deferIfShort<T>(
  act: () => Promise<T>,
  what = 'its program cannot be started',
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isShortage(error)) throw new Deferred(`${what}: ${messageOf(error)}`);
    throw error;
  }
}

/**
 * Prepares the working folder for a run, and returns the inputs for the program: a JSON object by name. The value of an
 * INPUT_FILE is the name of a file in this folder, or null for no file.
 */
export async function prepareInputs(job: Job, files: ContentFiles, folder: string): Promise<string> {
  // each run does this, and a thread for it would take longer
  mkdirSync(temporaryOf(folder), { recursive: true });
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
  return `{${members.join(',')}}`;
}

/**
 * The JSON of a canonical value. Canonical numbers and booleans are already JSON, with all digits. A whole DOUBLE gets a
 * point: Python and R read 2 as an integer, and then compute with integers.
 */
function jsonOf(type: InputType, canonical: string): string {
  if (type === 'DOUBLE' && /^-?\d+$/.test(canonical)) return `${canonical}.0`;
  return isNumericType(type) || type === 'BOOLEAN' ? canonical : JSON.stringify(canonical);
}

/**
 * The outputs by their declared names, whatever the case of letters. Texts of infinite DOUBLEs become numbers.
 *
 * @throws Error if an output is not declared, or is given twice
 */
export function byDeclaredName(
  given: Record<string, unknown>,
  outputs: readonly OutputDescriptor[],
): Record<string, unknown> {
  const byKey = new Map(outputs.map((output) => [nameKey(output.name), output]));
  const values = byName<unknown>({});
  for (const [name, value] of Object.entries(given)) {
    const output = byKey.get(nameKey(name));
    if (output === undefined) {
      throw new Error(`the command gave an output "${name}", which the model does not declare`);
    }
    if (Object.hasOwn(values, output.name)) {
      throw new Error(`the command gave the output "${output.name}" twice, once as "${name}"`);
    }
    values[output.name] = output.type === 'DOUBLE' && isInfinite(value) ? Number(value) : value;
  }
  return values;
}

/** Whether a value is the text of an infinite number. Programs write it because JSON has no infinite numbers. */
function isInfinite(value: unknown): boolean {
  return value === 'Infinity' || value === '-Infinity';
}

/**
 * Stores the files that the program names as outputs, and returns `outputs` with these files in place of the names. They
 * must be in the working folder.
 */
export async function storeFiles(
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
