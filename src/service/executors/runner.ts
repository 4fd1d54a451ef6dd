import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { messageOf } from '../../errors.ts';
import type { ContentFiles } from '../files/content.ts';
import { isModule, type ModelCode } from '../models/folder.ts';
import { outputTexts } from '../models/typed-values.ts';
import { checkUnchanged, loadUnchanged } from '../models/load.ts';
import type { KeptCommand } from '../models/command.ts';
import { runCommand } from './command.ts';
import { makeContext } from './context.ts';
import { Deferred } from '../deferred.ts';
import { isShortage } from '../system-errors.ts';
import { inputFileName, KeptFolder } from './kept.ts';
import { Loop } from './loop.ts';
import { OwnCopy } from '../models/own-copy.ts';
import type { CompletedRun, Job } from './protocol.ts';
import type { Workplace } from './workplace.ts';

export type Runner = (job: Job, onProgress: (fraction: number) => void) => Promise<CompletedRun>;

/**
 * Loads a model, and returns the function that runs it.
 *
 * @throws Deferred if the model's files cannot be read, or differ from those that the service has read; Error if the
 * model cannot be loaded
 */
export async function loadRunner(code: ModelCode, workplace: Workplace): Promise<Runner> {
  return isModule(code.entry) ? await moduleRunner(code, workplace) : await commandRunner(code, workplace);
}

/** Makes the runner of a module. Its code runs in this process. */
async function moduleRunner(code: ModelCode, workplace: Workplace): Promise<Runner> {
  const { files } = workplace;
  workplace.countOwnMemory(true);
  const { model, checkFiles } = await loadUnchanged(code);
  return (job, onProgress) =>
    withKept(job, files, async (kept) => {
      await workplace.use(undefined);
      workplace.countOwnMemory(true);
      checkFiles();
      kept?.writeCheck(job);
      const endCopy = kept?.copyOwnOutput();
      try {
        const outputs = await model.run(makeContext(job, files, onProgress));
        checkFiles();
        return {
          outputs: outputTexts(job.template.outputs, outputs, files),
          left: { files: [], processes: [] },
        };
      } catch (error) {
        // a model may have failed because its files were changed or removed while it ran
        checkFiles();
        await checkUnchanged(code);
        // the log gets the stack, because the reason of a failure has only the message
        if (!(error instanceof Deferred)) process.stderr.write(`${inspect(error)}\n`);
        throw error;
      } finally {
        endCopy?.();
      }
    });
}

/** Makes the runner of a command model. Its programs run in a copy of its files. */
async function commandRunner(code: ModelCode, workplace: Workplace): Promise<Runner> {
  const copy = new OwnCopy(code, workplace.copies);
  await copy.prepare();
  const { command, loop: staysLoaded } = await readProgram(code);
  const loop = staysLoaded ? new Loop(command, copy, workplace) : undefined;
  return (job, onProgress) =>
    withKept(job, workplace.files, async (kept) => {
      workplace.countOwnMemory(false);
      if (loop) return loop.run(job, onProgress, kept);
      await workplace.use(undefined);
      return runCommand(command, job, copy, workplace, onProgress, kept);
    });
}

/**
 * Reads the command of a model. The service has read the same declaration before, so an error now is not a mistake in
 * the declaration. The readers of YAML are loaded only here, because they take most of the start time of a process.
 */
async function readProgram(code: ModelCode): Promise<KeptCommand> {
  try {
    const { programOf } = await import('../models/program.ts');
    return programOf(code);
  } catch (error) {
    throw new Deferred(messageOf(error), { isLasting: !isShortage(error) });
  }
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

async function copyInputs({ template, inputs }: Job, files: ContentFiles, kept: KeptFolder): Promise<void> {
  for (const [index, { name, type }] of template.inputs.entries()) {
    const value = inputs[name]!;
    if (type === 'INPUT_FILE' && value !== '') {
      await copyFile(files.pathOf(value), kept.inputPath(inputFileName(index)), constants.COPYFILE_FICLONE);
    }
  }
}
