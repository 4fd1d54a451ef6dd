import { pathToFileURL } from 'node:url';
import type { ModelDefinition } from './model.ts';

/** Imports a model's module. Runs code of the model: for threads, never for the thread that serves HTTP. */
export async function loadModel(entry: string): Promise<ModelDefinition> {
  const module = (await import(pathToFileURL(entry).href)) as { default?: Partial<ModelDefinition> };
  if (typeof module.default?.run !== 'function') {
    throw new Error('the default export has no function "run"');
  }
  return module.default as ModelDefinition;
}
