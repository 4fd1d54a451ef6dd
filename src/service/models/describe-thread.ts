import { parentPort, workerData } from 'node:worker_threads';
import { loadModel } from './load.ts';

/** Imports one model and posts its declaration, or why that is not possible. */
try {
  const model = await loadModel(workerData as string);
  const { animation } = model;
  parentPort!.postMessage({
    declaration: { ...without(model, 'run'), ...(animation && { animation: without(animation, 'start') }) },
  });
} catch (error) {
  parentPort!.postMessage({ problem: error instanceof Error ? error.message : String(error) });
}

/** Its data: code cannot be posted. */
function without(definition: object, code: string): object {
  return Object.fromEntries(Object.entries(definition).filter(([key]) => key !== code));
}
