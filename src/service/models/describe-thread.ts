import { parentPort, workerData } from 'node:worker_threads';
import { loadModel } from './load.ts';

/** Imports one model and posts its declaration, or why that is not possible. */
try {
  const model = await loadModel(workerData as string);
  // all but its code, which cannot be posted
  const declaration = Object.fromEntries(Object.entries(model).filter(([key]) => key !== 'run'));
  parentPort!.postMessage({ declaration });
} catch (error) {
  parentPort!.postMessage({ problem: error instanceof Error ? error.message : String(error) });
}
