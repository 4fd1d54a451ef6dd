import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import type { ContentFiles } from '../files/content.ts';
import { readCommandModel } from '../models/command.ts';
import { hashContent, isDeclaration, type ModelCode, stateOf } from '../models/folder.ts';
import { CHANGED, loadUnchanged } from '../models/load.ts';
import { runCommand } from './command.ts';
import { makeContext } from './context.ts';
import { inputFileName, KeptFolder } from './kept.ts';
import type { Job } from './protocol.ts';

/** Runs a model once; resolves with the values of its outputs. */
export type Runner = (
  job: Job,
  files: ContentFiles,
  onProgress: (fraction: number) => void,
) => Promise<Record<string, unknown>>;

/** @throws Error when the model cannot be loaded, or is not what the service has read */
export async function loadRunner(code: ModelCode): Promise<Runner> {
  if (isDeclaration(code.entry)) return commandRunner(code);
  const model = await loadUnchanged(code);
  return (job, files, onProgress) =>
    withKept(job, async (kept) => {
      if (kept) {
        await copyInputs(job, files, kept);
        kept.writeCheck(job);
      }
      const endCopy = kept?.copyOwnOutput();
      try {
        return await model.run(makeContext(job, files, onProgress));
      } catch (error) {
        // with the stack: the reason of a failure has the message alone
        process.stderr.write(`${inspect(error)}\n`);
        throw error;
      } finally {
        endCopy?.();
      }
    });
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

async function withKept<T>(job: Job, work: (kept: KeptFolder | undefined) => Promise<T>): Promise<T> {
  const { keepIn } = job;
  const kept = keepIn === undefined ? undefined : new KeptFolder({ ...job, keepIn });
  try {
    return await work(kept);
  } finally {
    kept?.close();
  }
}

/** A program is read anew for each run, so it must be what it was before and after each. */
function commandRunner(code: ModelCode): Runner {
  let state: string | undefined;
  const checkUnchanged = (): void => {
    const found = stateOf(code);
    if (found === state) return;
    if (hashContent(code) !== code.contentHash) throw new Error(CHANGED);
    state = found;
  };
  checkUnchanged();
  const { command } = readCommandModel(code.entry);
  return async (job, files, onProgress) => {
    checkUnchanged();
    const outputs = await withKept(job, async (kept) => {
      if (kept) await copyInputs(job, files, kept);
      return runCommand(command, job, files, onProgress, kept);
    });
    checkUnchanged();
    return outputs;
  };
}
