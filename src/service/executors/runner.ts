import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { messageOf } from '../../errors.ts';
import type { ContentFiles } from '../files/content.ts';
import { readCommandModel } from '../models/command.ts';
import { isDeclaration, type ModelCode, stateOf } from '../models/folder.ts';
import { checkUnchanged, loadUnchanged } from '../models/load.ts';
import { runCommand } from './command.ts';
import { makeContext } from './context.ts';
import { Deferred } from './deferred.ts';
import { inputFileName, KeptFolder } from './kept.ts';
import type { Job } from './protocol.ts';

/** Runs a model once; resolves with the values of its outputs. */
export type Runner = (
  job: Job,
  files: ContentFiles,
  onProgress: (fraction: number) => void,
) => Promise<Record<string, unknown>>;

/** @throws Deferred when the model's files cannot be read, or are not what the service has read; Error when it cannot be loaded */
export async function loadRunner(code: ModelCode): Promise<Runner> {
  return isDeclaration(code.entry) ? commandRunner(code) : await moduleRunner(code);
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
        // a model whose files have gone while it ran may have failed of that
        check();
        // with the stack: the reason of a failure has the message alone
        if (!(error instanceof Deferred)) process.stderr.write(`${inspect(error)}\n`);
        throw error;
      } finally {
        endCopy?.();
      }
    });
}

/** Works with the folder that repeats the run, where one is asked for and can be made: it is no reason for a run to fail. */
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

/** Copies the input files of a run into the folder that is kept. */
async function copyInputs({ template, inputs }: Job, files: ContentFiles, kept: KeptFolder): Promise<void> {
  for (const [index, { name, type }] of template.inputs.entries()) {
    const value = inputs[name]!;
    if (type === 'INPUT_FILE' && value !== '') {
      await copyFile(files.pathOf(value), kept.inputPath(inputFileName(index)), constants.COPYFILE_FICLONE);
    }
  }
}

/** A program is read anew for each run, so it must be what it was before and after each, whether it has failed or not. */
function commandRunner(code: ModelCode): Runner {
  const check = makeCheck(code);
  check();
  const command = readCommand(code);
  return async (job, files, onProgress) => {
    check();
    try {
      return await withKept(job, files, (kept) => runCommand(command, job, files, onProgress, kept));
    } finally {
      check();
    }
  };
}

/** A check as {@link checkUnchanged}, which reads the files only where they do not look as they did the last time. */
function makeCheck(code: ModelCode): () => void {
  let state: string | undefined;
  return () => {
    const found = readState(code);
    if (found !== undefined && found === state) return;
    checkUnchanged(code);
    state = found;
  };
}

/** The service has read the same declaration before: what is wrong now is not in it. */
function readCommand({ entry }: ModelCode): readonly string[] {
  try {
    return readCommandModel(entry).command;
  } catch (error) {
    throw new Deferred(messageOf(error));
  }
}

/** Undefined where the files cannot be looked at. */
function readState(code: ModelCode): string | undefined {
  try {
    return stateOf(code);
  } catch {
    return undefined;
  }
}
