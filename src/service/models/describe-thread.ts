import { parentPort, workerData } from 'node:worker_threads';
import { isSystemError } from '../system-errors.ts';
import type { Answer } from './describe.ts';
import { loadModel } from './load.ts';

/** Imports one model and posts its declaration, or why that is not possible. */
try {
  const model = await loadModel(workerData as string);
  const { animation } = model;
  parentPort!.postMessage({
    declaration: { ...without(model, 'run'), ...(animation && { animation: without(animation, 'start') }) },
  } satisfies Answer);
} catch (error) {
  parentPort!.postMessage({
    problem: error instanceof Error ? described(error) : String(error),
    isOfSystem: isSystemError(error),
  } satisfies Answer);
}

/** With the place, where the error is one of syntax: its stack begins with it. */
function described({ message, stack = '' }: Error): string {
  const place = /^file:\/\/(\S+:\d+)\n/.exec(stack)?.[1];
  return place === undefined ? message : `${place}: ${message}`;
}

/** Its data: code cannot be posted. */
function without(definition: object, code: string): object {
  return Object.fromEntries(Object.entries(definition).filter(([key]) => key !== code));
}
