import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { messageOf } from '../../errors.ts';
import type { ContentFiles } from '../files/content.ts';
import { isDeclaration, type ModelCode, stateOf } from '../models/folder.ts';
import { checkUnchanged, loadUnchanged } from '../models/load.ts';
import { runCommand } from './command.ts';
import { makeContext } from './context.ts';
import { Deferred } from '../deferred.ts';
import { inputFileName, KeptFolder } from './kept.ts';
import type { Job } from './protocol.ts';

/** Runs a model once; resolves with the values of its outputs. */
export type Runner = (
  job: Job,
  files: ContentFiles,
  onProgress: (fraction: number) => void,
) => Promise<Record<string, unknown>>;

/**
 * Loads a model, and returns the function that runs it.
 *
 * @throws Deferred if the model's files cannot be read, or differ from those that the service has read; Error if the
 * model cannot be loaded
 */
export async function loadRunner(code: ModelCode): Promise<Runner> {
  return isDeclaration(code.entry) ? await commandRunner(code) : await moduleRunner(code);
}

async function moduleRunner(code: ModelCode): Promise<Runner> {
  const model = await loadUnchanged(code);
  const check = makeCheck(code);
  return (job, files, onProgress) =>
    withKept(job, files, async (kept) => {
      kept?.writeCheck(job);
      const endCopy = kept?.copyOwnOutput();
      try {
        return await model.run(makeContext(job, files, onProgress));
      } catch (error) {
        // a model may have failed because its files were removed while it ran
        check();
        // the log gets the stack, because the reason of a failure has only the message
        if (!(error instanceof Deferred)) process.stderr.write(`${inspect(error)}\n`);
        throw error;
      } finally {
        endCopy?.();
      }
    });
}

/**
 * Calls `work` with the kept folder, if it is wanted and can be made. An error of the folder does not make the run
 * fail.
 */
async function withKept<T>(
  job: Job,
  files: ContentFiles,
  work: (kept: KeptFolder | undefined) => Promise<T>,
): Promise<T> {
  const kept = await keptFolder(job, files);
  try {
    return await work(kept);
  } finally {
    kept?.close();
  }
}

async function keptFolder(job: Job, files: ContentFiles): Promise<KeptFolder | undefined> {
  const { keepIn } = job;
  if (keepIn === undefined) return undefined;
  let kept: KeptFolder | undefined;
  try {
    kept = new KeptFolder({ ...job, keepIn });
    await copyInputs(job, files, kept);
    return kept;
  } catch (error) {
    kept?.close();
    process.stderr.write(`The folder of this run cannot be kept: ${messageOf(error)}\n`);
    return undefined;
  }
}

/** Copies the input files of a run into the kept folder. */
async function copyInputs({ template, inputs }: Job, files: ContentFiles, kept: KeptFolder): Promise<void> {
  for (const [index, { name, type }] of template.inputs.entries()) {
    const value = inputs[name]!;
    if (type === 'INPUT_FILE' && value !== '') {
      await copyFile(files.pathOf(value), kept.inputPath(inputFileName(index)), constants.COPYFILE_FICLONE);
    }
  }
}

/**
 * Makes the runner of a command model. The system reads the program again for each run, so its files are checked before
 * and after each run.
 */
async function commandRunner(code: ModelCode): Promise<Runner> {
  const check = makeCheck(code);
  check();
  const command = await readCommand(code);
  return async (job, files, onProgress) => {
    check();
    try {
      return await withKept(job, files, (kept) => runCommand(command, job, files, onProgress, kept));
    } finally {
      check();
    }
  };
}

/** Makes a check like {@link checkUnchanged} that reads the files again only if their sizes or times have changed. */
function makeCheck(code: ModelCode): () => void {
  let state: string | undefined;
  return () => {
    const found = readState(code);
    if (found !== undefined && found === state) return;
    checkUnchanged(code);
    state = found;
  };
}

/**
 * Reads the command from a declaration. The service has read the same declaration before, so an error now is not a
 * mistake in the declaration. The readers of YAML are loaded only here, because they take most of the start time of a
 * process.
 */
async function readCommand({ entry }: ModelCode): Promise<readonly string[]> {
  try {
    const { readKeptCommand } = await import('../models/command.ts');
    return readKeptCommand(entry);
  } catch (error) {
    throw new Deferred(messageOf(error));
  }
}

/** A text that changes when the files of a model change; undefined if they cannot be read. */
function readState(code: ModelCode): string | undefined {
  try {
    return stateOf(code);
  } catch {
    return undefined;
  }
}
