import type { Problem } from '../problems.ts';
import type { FoundModel, Unreadable } from './reader.ts';

/** Messages about models that cannot be read or kept, for the operator of the service and for everybody. */

export function unkeptOf({ declaration }: FoundModel, number: number, why: string): Problem {
  return {
    code: 'VERSION_NOT_KEPT',
    subject: declaration.name,
    message: `${modelName(declaration)}: the files of its newest version cannot be kept.`,
    detail: `The files of version ${number} of the model "${declaration.name}" cannot be kept: ${why}. foray tries again. Until it succeeds, the version runs only while the model does not change.`,
  };
}

/** The problem with its public message and its message for the operator. */
export function problemOf({ folder, isRoot, problem, kept }: Unreadable): Problem {
  const what = isRoot ? 'A folder of models' : modelName(kept[0]?.declaration);
  return {
    code: isRoot ? 'MODELS_UNREADABLE' : 'MODEL_UNREADABLE',
    subject: folder,
    message: `${what} cannot be read: it stays as it was, and its runs wait.`,
    detail: `${problem.message} It stays as it was, and its runs wait until it can be read.`,
  };
}

/** The name of a model in a message for everybody. The names of private models are secret. */
export function modelName(model: { name: string; published: boolean } | undefined): string {
  return model?.published ? `The model "${model.name}"` : 'A model';
}
