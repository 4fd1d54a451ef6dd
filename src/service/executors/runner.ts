import type { ContentFiles } from '../files/content.ts';
import { readCommandModel } from '../models/command.ts';
import { hashContent, isDeclaration, type ModelCode, stateOf } from '../models/folder.ts';
import { CHANGED, loadUnchanged } from '../models/load.ts';
import { runCommand } from './command.ts';
import { makeContext } from './context.ts';
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
  return async (job, files, onProgress) => await model.run(makeContext(job, files, onProgress));
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
    const outputs = await runCommand(command, job, files, onProgress);
    checkUnchanged();
    return outputs;
  };
}
