import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { MarkedProcesses } from '../../system/marked-processes.ts';
import { outputTexts } from '../models/typed-values.ts';
import { ProgramMessages } from './program-messages.ts';
import type { KeptFolder } from './kept.ts';
import type { OwnCopy } from '../models/own-copy.ts';
import { Program, withModelPaths } from './program.ts';
import type { CompletedRun, Job } from './protocol.ts';
import { byDeclaredName, deferIfShort, deferredIfFull, prepareInputs, storeFiles } from './working-folder.ts';
import type { Workplace } from './workplace.ts';

/** How long to read standard output after the end of the program, while other processes may still print, ms. */
const LINGER = 1_000;

/**
 * Runs the program of a command model once (docs/guides/models.md): inputs as JSON on standard input, progress and
 * outputs as lines of JSON on standard output, files in a working folder for this run. The program belongs to a copy of
 * the model. When this function ends, no process of the run is left, and its working folder is removed unless it is kept.
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
): Promise<CompletedRun> {
  const { files, printed } = workplace;
  const folder = files.workPath(job.runId);
  workplace.workIn(folder);
  await copy.prepare();
  try {
    // an earlier attempt may have left a folder
    await files.removeWork(job.runId);
    const input = `${await deferIfShort(() => prepareInputs(job, files, folder))}\n`;
    const source = path.dirname(job.code.entry);
    kept?.writeProgram(withModelPaths(command, [source]), source, input);
    const messages = new ProgramMessages(job.template.outputs, printed.stdout, onProgress);
    const program = await Program.start({
      words: withModelPaths(command, [copy.folder, source]),
      modelFolder: copy.folder,
      folder,
      isElsewhere: job.isElsewhere,
      log: printed.stderr,
      onLine: (line) => messages.handle(line),
    });
    program.beginRun(kept);
    try {
      const processes = await askOnce(program, input, messages, workplace.processes);
      const outputs = byDeclaredName(messages.outputs(), job.template.outputs);
      const stored = await deferIfShort(
        () => storeFiles(outputs, job, files, folder),
        'its files cannot be stored',
      );
      const texts = outputTexts(job.template.outputs, stored, files);
      // the outputs do not count if the copy's linked files have changed while the program ran
      copy.checkLinked();
      return { outputs: texts, left: { files: copy.restore(), processes } };
    } catch (error) {
      throw await deferredIfFull(error, folder, () => files.removeWork(job.runId));
    }
  } catch (error) {
    copy.restore();
    throw error;
  } finally {
    // files that cannot be removed now are removed before the next attempt, or at the next start of the service
    if (!kept) await files.removeWork(job.runId).catch(() => {});
  }
}

/**
 * Gives a program its inputs and no more, waits for its end, and ends the processes that it has left.
 *
 * @returns the commands of the processes that it has left
 * @throws Error with the reason if the program fails
 */
async function askOnce(
  program: Program,
  input: string,
  messages: ProgramMessages,
  processes: MarkedProcesses,
): Promise<string[]> {
  const { lines } = program;
  lines.write(input);
  lines.endInput();
  const exit = await lines.exit;
  // a process that the program has started may still print the outputs
  await Promise.race([lines.closed, messages.hasOutputs, pause(LINGER, undefined, { ref: false })]);
  const left = await processes.end();
  await Promise.race([lines.closed, pause(LINGER, undefined, { ref: false })]);
  const failure = program.failureOf(exit);
  if (failure !== undefined) throw new Error(failure);
  return left;
}
