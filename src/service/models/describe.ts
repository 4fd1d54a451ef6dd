import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { ForayError, messageOf } from '../../errors.ts';
import { misfit } from '../../misfit.ts';
import { ownModule } from '../../own-files.ts';
import { modelEnvironment } from '../executors/environment.ts';
import { isSystemError } from '../system-errors.ts';
import { readCommandModel } from './command.ts';
import { Declaration } from './declaration.ts';
import { isDeclaration } from './folder.ts';
import { oneLine } from '../../suggest.ts';

/** How long the module of a model may take to load, in milliseconds. */
const LOAD_TIMEOUT = 30_000;

/**
 * Reads a model's declaration; that of a module in a thread of its own: a model that hangs or breaks while it loads
 * cannot take the service along, and a changed one is read anew.
 *
 * @throws ForayError MODEL_INVALID naming the model's folder, or the place in its declaration; MODEL_UNREADABLE when the system
 *   has failed, and not the model
 */
export async function describeModel(entry: string): Promise<Declaration> {
  if (isDeclaration(entry)) return readCommandModel(entry).declaration;
  const folder = path.dirname(entry);
  const answer = await askThread(entry).catch((error: unknown) => ({
    problem:
      (error as Error).name === 'AbortError'
        ? `its module takes longer than ${LOAD_TIMEOUT / 1_000} s`
        : messageOf(error),
    isOfSystem: isSystemError(error),
  }));
  if ('problem' in answer) {
    throw new ForayError(
      answer.isOfSystem ? 'MODEL_UNREADABLE' : 'MODEL_INVALID',
      `The model in ${folder} cannot be loaded: ${oneLine(answer.problem)}`,
    );
  }
  const declaration = Declaration.safeParse(answer.declaration);
  if (!declaration.success) {
    const { message, hint } = misfit(declaration.error, Declaration, answer.declaration, 'model');
    throw new ForayError('MODEL_INVALID', `The model in ${folder} is not declared as a model: ${message}`, {
      hint,
    });
  }
  return declaration.data;
}

export type Answer = { declaration: unknown } | { problem: string; isOfSystem: boolean };

async function askThread(entry: string): Promise<Answer> {
  const thread = new Worker(ownModule('src/service/models/describe-thread'), {
    workerData: entry,
    env: modelEnvironment(),
    stdout: true,
  });
  thread.stdout.resume();
  try {
    const signal = AbortSignal.timeout(LOAD_TIMEOUT);
    return await Promise.race([
      once(thread, 'message', { signal }).then(([answer]) => answer as Answer),
      once(thread, 'exit').then((): Answer => ({
        problem: 'it ended the thread that loads it',
        isOfSystem: false,
      })),
    ]);
  } finally {
    await thread.terminate();
  }
}
