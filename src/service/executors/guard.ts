import { Worker } from 'node:worker_threads';
import type { Watched } from './protocol.ts';

/** The first act of a process that `startModelProcess` has started: from here on it is watched. */
export function guardProcess(): { filesDir: string } {
  // an abort is what V8 does when memory ends: that of a model is to be told from it
  process.abort = () => process.kill(process.pid, 'SIGKILL') as never;
  const [filesDir, service, memory] = process.argv.slice(2) as [string, string, string];
  new Worker(new URL('./watchdog.ts', import.meta.url), {
    workerData: { service: Number(service), memory: Number(memory) } satisfies Watched,
  }).unref();
  return { filesDir };
}
