import { flushCompileCache } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../errors.ts';
import { closeFolder } from '../../package/own-package.ts';
import { Deferred } from '../deferred.ts';
import { isShortage, isSystemError } from '../system-errors.ts';
import { CHANGED, hashContent, type ModelCode, type ModelPlace, SEPARATOR, stateOf } from './folder.ts';
import type { ModelDefinition } from './model.ts';

/** Imports a model's module. This runs code of the model, so the thread that serves HTTP never calls it. */
export async function loadModel(entry: string): Promise<ModelDefinition> {
  const module = (await import(pathToFileURL(entry).href)) as { default?: Partial<ModelDefinition> };
  // Node writes its compile cache when a process ends by itself, but an executor is killed
  flushCompileCache();
  if (typeof module.default?.run !== 'function') {
    throw new Error('the default export has no function "run"');
  }
  const { animation } = module.default;
  if (animation && typeof animation.start !== 'function') {
    throw new Error('the animation of the default export has no function "start"');
  }
  return module.default as ModelDefinition;
}

/**
 * Checks that a model's files are the same as when the service read them.
 *
 * @throws Deferred if they differ or cannot be read: the service then looks for their current version
 */
export async function checkUnchanged(code: ModelCode): Promise<void> {
  let found;
  try {
    found = await hashContent(code);
  } catch (error) {
    throw unread(error);
  }
  if (found !== code.contentHash) throw new Deferred(CHANGED, { isLasting: true });
}

/** A module that belongs to a version, with the check of what it reads. */
export interface LoadedModule {
  model: ModelDefinition;
  /**
   * Call this before and after each run. What the run has read between the calls belongs to the version.
   *
   * @throws Deferred if a file of the model was changed since the module was loaded, or cannot be read
   */
  checkFiles: () => void;
}

/**
 * Like {@link loadModel}, with a check that the code is the same as when the service read it.
 *
 * @throws Deferred as {@link checkUnchanged} does
 */
export async function loadUnchanged(code: ModelCode): Promise<LoadedModule> {
  const checkFiles = fileCheckOf(code);
  try {
    // the kept files of a version import the copy of foray that belongs to them, and nothing outside their folder
    if (code.imports) closeFolder(path.dirname(code.libraryRoot), code.imports);
    return { model: await loadModel(code.entry), checkFiles };
  } catch (error) {
    throw isSystemError(error) ? unread(error) : error;
  } finally {
    // if the files have changed meanwhile, the model or the error belongs to another version
    await checkUnchanged(code);
    checkFiles();
  }
}

/**
 * Returns a check that the files of a model are as they are now. It compares their stamps, and so it also finds a file
 * that was changed and then restored. Nobody changes the kept files of a version, so they have no such check.
 */
function fileCheckOf(code: ModelCode): () => void {
  if (code.imports) return () => {};
  // without foray's own files, which nobody edits while the service runs
  const own = { ...code, library: [] };
  const before = stateNow(own);
  return () => {
    const now = stateNow(own);
    if (now === before) return;
    const lines = (state: string) => new Set(state.split('\n'));
    const [changed = ''] = lines(now).symmetricDifference(lines(before));
    const name = path.relative(code.folders[0]!, changed.slice(0, changed.indexOf(SEPARATOR)));
    throw new Deferred(`${CHANGED} (${name})`, { isLasting: true });
  };
}

function stateNow(place: ModelPlace): string {
  try {
    return stateOf(place);
  } catch (error) {
    throw unread(error);
  }
}

/** Why a run waits for files. A lack of the machine passes, but a file that a model names may never exist. */
function unread(error: unknown): Deferred {
  const why = `the model's files cannot be read: ${messageOf(error)}`;
  return new Deferred(why, { isLasting: !isShortage(error) });
}
