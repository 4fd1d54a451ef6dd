import { workerData } from 'node:worker_threads';
import { OUT_OF_MEMORY, type Watched } from './protocol.ts';

/**
 * A thread beside the model in an executor's process, as a model that computes hears nothing: it ends the process when
 * the service has gone, however that ended, and when it takes more memory than its run may.
 */

/** How often it looks, in milliseconds. */
const INTERVAL = 100;
/** What V8 may hold beside the memory that is in use, in bytes. */
const UNCOLLECTED = 64 * 2 ** 20;

const { service, memory } = workerData as Watched;
/** What the process takes without a model. */
const own = process.memoryUsage.rss();

setInterval(() => {
  if (process.ppid !== service) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() - own > memory * 2 ** 20 + UNCOLLECTED)
    process.kill(process.pid, OUT_OF_MEMORY);
}, INTERVAL);
