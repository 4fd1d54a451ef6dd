/** Sends the outputs of some runs to the thread that started it, or else prints them. */
import { parentPort } from 'node:worker_threads';
import { fingerprint } from './support.ts';

if (parentPort) parentPort.postMessage(fingerprint());
else process.stdout.write(fingerprint());
