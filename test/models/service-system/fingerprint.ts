/** Sends the outputs of some runs to the parent thread. In the main thread, the script prints the outputs instead. */
import { parentPort } from 'node:worker_threads';
import { fingerprint } from './support.ts';

if (parentPort) parentPort.postMessage(fingerprint());
else process.stdout.write(fingerprint());
