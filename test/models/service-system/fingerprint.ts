/** Sends the outputs of some runs to the thread that started this one. Prints them if this is the main thread. */
import { parentPort } from 'node:worker_threads';
import { fingerprint } from './support.ts';

if (parentPort) parentPort.postMessage(fingerprint());
else process.stdout.write(fingerprint());
