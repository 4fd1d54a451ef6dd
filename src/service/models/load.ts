import { pathToFileURL } from 'node:url';
import '../../own-package.ts';
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

/** Why a run does not take place, or what comes of it is not kept. */
export const CHANGED = "the model's files were changed: ask for its new version";

/** As {@link loadModel}: the service has read the code, and what it runs must be the same. */
export async function loadUnchanged(code: ModelCode): Promise<ModelDefinition> {
  const model = await loadModel(code.entry);
  if (hashContent(code) !== code.contentHash) throw new Error(CHANGED);
  return model;
}
