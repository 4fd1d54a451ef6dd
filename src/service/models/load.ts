import { pathToFileURL } from 'node:url';
import { messageOf } from '../../errors.ts';
import '../../own-package.ts';
import { Deferred } from '../executors/deferred.ts';
import { isSystemError } from '../system-errors.ts';
import { hashContent, type ModelCode } from './folder.ts';
import type { ModelDefinition } from './model.ts';

/** Imports a model's module. Runs code of the model: never for the thread that serves HTTP. */
export async function loadModel(entry: string): Promise<ModelDefinition> {
  const module = (await import(pathToFileURL(entry).href)) as { default?: Partial<ModelDefinition> };
  if (typeof module.default?.run !== 'function') {
    throw new Error('the default export has no function "run"');
  }
  const { animation } = module.default;
  if (animation && typeof animation.start !== 'function') {
    throw new Error('the animation of the default export has no function "start"');
  }
  return module.default as ModelDefinition;
}

/** Why a run does not take place, or its outputs are not kept. */
const CHANGED = "the model's files were changed since the service read them";

/**
 * Checks that a model's files are what the service has read.
 *
 * @throws Deferred when they are not, or cannot be read: the service finds out which version they are now
 */
export function checkUnchanged(code: ModelCode): void {
  let found;
  try {
    found = hashContent(code);
  } catch (error) {
    throw new Deferred(`the model's files cannot be read: ${messageOf(error)}`);
  }
  if (found !== code.contentHash) throw new Deferred(CHANGED);
}

/**
 * As {@link loadModel}: the service has read the code, and what it runs must be the same.
 *
 * @throws Deferred as {@link checkUnchanged} does
 */
export async function loadUnchanged(code: ModelCode): Promise<ModelDefinition> {
  try {
    return await loadModel(code.entry);
  } catch (error) {
    if (isSystemError(error)) throw new Deferred(`the model's files cannot be read: ${messageOf(error)}`);
    throw error;
  } finally {
    // if they have changed meanwhile, neither a model nor an error is of this version
    checkUnchanged(code);
  }
}
