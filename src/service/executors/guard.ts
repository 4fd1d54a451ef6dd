import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { Worker } from 'node:worker_threads';
import { ownModule } from '../../package/own-files.ts';
import { MARK } from '../environment.ts';
import type { OwnMemory, Ready, WatchdogSettings } from './protocol.ts';

/** The surroundings of a process that runs models. */
export interface Guarded {
  filesDir: string;
  unfinishedDir?: string;
  /** The variable of the environment that all processes have which stem from this one. */
  mark: string;
  /** The memory that a run may take, in bytes. */
  memory: number;
  /** Resolves when the watchdog runs and the message about this was sent to the service. */
  guarded: Promise<void>;
  /** Tells the watchdog whether the memory of this process is that of a model. */
  countOwnMemory: (isOfModel: boolean) => void;
}

/** Starts the watchdog of this process. A process from `startModelProcess` calls this function first. */
export function guardProcess(): Guarded {
  // V8 aborts when memory is exhausted, so an abort by the model must look different
  process.abort = () => process.kill(process.pid, 'SIGKILL') as never;
  const [filesDir, service, memoryMb, unfinishedDir] = process.argv.slice(2) as [
    string,
    string,
    string,
    string?,
  ];
  const mark = `${MARK}=${process.env[MARK]}`;
  const watchdog = new Worker(ownModule('src/service/executors/watchdog'), {
    workerData: { mark, service: Number(service), memory: Number(memoryMb) } satisfies WatchdogSettings,
  });
  const guarded = once(watchdog, 'online').then(() => {
    // from here on the thread does not keep an idle process alive
    watchdog.unref();
    process.send!({ kind: 'ready' } satisfies Ready);
    // Node writes its compile cache when a process ends, but this process is killed
    flushCompileCache();
  });
  const countOwnMemory = (isOfModel: boolean): void =>
    watchdog.postMessage({ isOfModel } satisfies OwnMemory);
  return {
    filesDir,
    ...(unfinishedDir !== undefined && { unfinishedDir }),
    mark,
    memory: Number(memoryMb) * 2 ** 20,
    guarded,
    countOwnMemory,
  };
}
