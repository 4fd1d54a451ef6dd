import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ownModule } from '../../own-files.ts';
import type { Ready, Watched } from './protocol.ts';

/**
 * The first act of a process that `startModelProcess` has started.
 *
 * @returns `guarded` resolves when the process is watched, and has told the service so
 */
export function guardProcess(): { filesDir: string; guarded: Promise<void> } {
  // an abort is what V8 does when memory ends: that of a model is to be told from it
  process.abort = () => process.kill(process.pid, 'SIGKILL') as never;
  const [filesDir, service, memory] = process.argv.slice(2) as [string, string, string];
  const watchdog = new Worker(ownModule('src/service/executors/watchdog'), {
    workerData: { service: Number(service), memory: Number(memory) } satisfies Watched,
  });
  const guarded = once(watchdog, 'online').then(() => {
    // from here on it keeps no process that has nothing else to do
    watchdog.unref();
    process.send!({ kind: 'ready' } satisfies Ready);
  });
  return { filesDir, guarded };
}
