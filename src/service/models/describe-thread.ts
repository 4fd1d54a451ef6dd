import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { isSystemError } from '../system-errors.ts';
import type { Answer } from './describe.ts';
import { loadModel } from './load.ts';

/** The files that were loaded with the model: its own, and all that they import. */
const loaded = new Set<string>();
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) loaded.add(fileURLToPath(url));
    return next(url, context);
  },
});

/** Imports one model and posts its declaration, or the reason of the failure. */
try {
  const model = await loadModel(workerData as string);
  const { animation } = model;
  parentPort!.postMessage({
    declaration: {
      ...without('run', model),
      ...(animation && { animation: without('start', animation) }),
    },
    loaded: [...loaded],
  } satisfies Answer);
} catch (error) {
  parentPort!.postMessage({
    problem: error instanceof Error ? described(error) : String(error),
    isOfSystem: isSystemError(error),
  } satisfies Answer);
}

/** The message of an error. A syntax error has its place only in the first line of its stack, so the place is added. */
function described({ message, stack = '' }: Error): string {
  const place = /^file:\/\/(\S+:\d+)\n/.exec(stack)?.[1];
  return place === undefined ? message : `${place}: ${message}`;
}

/** A definition without one of its functions, because functions cannot be posted. */
function without(functionName: string, definition: object): object {
  return Object.fromEntries(Object.entries(definition).filter(([key]) => key !== functionName));
}
