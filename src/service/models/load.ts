import { pathToFileURL } from 'node:url';
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

/** As {@link loadModel}: the service has read the code when it started, and what it runs must be the same. */
export async function loadUnchanged(code: ModelCode): Promise<ModelDefinition> {
  const model = await loadModel(code.entry);
  if (hashContent(code.folders) !== code.contentHash) {
    throw new Error(
      "the model's files were changed after the service started: restart it to serve the new version",
    );
  }
  return model;
}
