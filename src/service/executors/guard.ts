import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { Worker } from 'node:worker_threads';
import { ownModule } from '../../package/own-files.ts';
import type { Ready, Watched } from './protocol.ts';

/**
 * Starts the watchdog of this process. A process from `startModelProcess` calls this function first.
 *
 * @returns `guarded` resolves when the watchdog runs and the message about this was sent to the service
 */
export function guardProcess(): { filesDir: string; unfinishedDir?: string; guarded: Promise<void> } {
  // V8 aborts when memory is exhausted, so an abort by the model must look different
  process.abort = () => process.kill(process.pid, 'SIGKILL') as never;
  const [filesDir, service, memory, unfinishedDir] = process.argv.slice(2) as [
    string,
    string,
    string,
    string?,
  ];
  const watchdog = new Worker(ownModule('src/service/executors/watchdog'), {
    workerData: { service: Number(service), memory: Number(memory) } satisfies Watched,
  });
  const guarded = once(watchdog, 'online').then(() => {
    // from here on the thread does not keep an idle process alive
    watchdog.unref();
    process.send!({ kind: 'ready' } satisfies Ready);
    // Node writes its compile cache when a process ends, but this process is killed
    flushCompileCache();
  });
  return { filesDir, ...(unfinishedDir !== undefined && { unfinishedDir }), guarded };
}
