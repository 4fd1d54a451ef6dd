import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { MarkedProcesses } from '../../system/marked-processes.ts';
import { OUT_OF_MEMORY, type OwnMemory, type WatchdogSettings } from './protocol.ts';

/**
 * A thread in the process of a model. It is needed because the main thread notices nothing while the model computes.
 * The thread ends the process and its child processes if the service has ended in any way. If they take more memory
 * than their run may take, the thread ends the process, and the service ends the child processes.
 */

/** The time between two checks, in milliseconds. */
const INTERVAL = 100;
/** Memory that V8 may hold without using it, in bytes. */
const UNCOLLECTED = 64 * 2 ** 20;

const { mark, service, memory } = workerData as WatchdogSettings;
/** The memory of the process without a model, in bytes. */
let ownMemory = process.memoryUsage.rss();
const processes = new MarkedProcesses(mark, process.pid);
/** Whether the memory of this process is that of a model (`OwnMemory`). */
let isOfModel = true;
parentPort!.on('message', (message: OwnMemory) => {
  // what the process has read so far is not the memory of the next model
  if (message.isOfModel && !isOfModel) ownMemory = process.memoryUsage.rss();
  ({ isOfModel } = message);
});

setInterval(() => {
  if (process.ppid !== service) endAll();
  const taken = (isOfModel ? process.memoryUsage.rss() - ownMemory : 0) + processes.memory();
  if (taken > memory * 2 ** 20 + UNCOLLECTED) process.kill(process.pid, OUT_OF_MEMORY);
}, INTERVAL);

// this thread has its own compile cache
flushCompileCache();

/** Ends this process and all that stem from it. Its own end comes last. */
function endAll(): never {
  processes.kill();
  // the process leads its group
  return process.kill(-process.pid, 'SIGKILL') as never;
}
