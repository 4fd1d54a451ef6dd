import type { Problem } from '../problems.ts';
import type { FoundModel, Unreadable } from './reader.ts';

/** What whoever runs the service, and anybody else, may hear of models that cannot be read or kept. */

export function unkeptOf({ declaration }: FoundModel, number: number, why: string): Problem {
  return {
    code: 'VERSION_NOT_KEPT',
    subject: declaration.name,
    message: `${modelName(declaration)}: the files of its newest version cannot be kept.`,
    detail: `The files of version ${number} of the model "${declaration.name}" cannot be kept, which is tried again: ${why}. Until then the version runs only while the model does not change.`,
  };
}

/** As anybody may hear of it, and as whoever runs the service does. */
export function problemOf({ folder, isRoot, problem, kept }: Unreadable): Problem {
  const what = isRoot ? 'A folder of models' : modelName(kept[0]?.declaration);
  return {
    code: isRoot ? 'MODELS_UNREADABLE' : 'MODEL_UNREADABLE',
    subject: folder,
    message: `${what} cannot be read; what was read of it before holds, and its runs wait.`,
    detail: `${problem.message} What was read of it before holds, and its runs wait until it can be read.`,
  };
}

/** Private models are for nobody else to know. */
export function modelName(model: { name: string; published: boolean } | undefined): string {
  return model?.published ? `The model "${model.name}"` : 'A model';
}
