import { ForayError } from '../errors.ts';
import type { ModelPlace } from '../service/models/folder.ts';
import { commandName } from './command-name.ts';
import { tell } from './output.ts';

/**
 * The models of a folder: the folder itself if it is a model, or the models in it. Prints what looks like a model but is
 * not one.
 *
 * @throws ForayError MODEL_INVALID when the folder has no models, or when a model has two entry files;
 *   MODEL_UNREADABLE when the folder cannot be read
 */
export async function modelsIn(folder: string): Promise<ModelPlace[]> {
  const { findModels } = await import('../service/models/folder.ts');
  const found = findModels(folder, tell);
  if (found.length > 0) return found;
  throw new ForayError('MODEL_INVALID', `There is no model in ${folder}.`, {
    hint: `A model is a folder with model.ts, model.js, model.py, model.yaml or model.json; create one with: ${commandName()} models new NAME`,
  });
}
