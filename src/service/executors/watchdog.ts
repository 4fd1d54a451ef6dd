import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';
import { OUT_OF_MEMORY, type Watched } from './protocol.ts';

/**
 * A thread beside the model in an executor's process, as a model that computes hears nothing: it ends the process, and what that
 * has started, when the service has gone, however that ended, and when they take more memory than their run may.
 */

/** How often it looks, in milliseconds. */
const INTERVAL = 100;
/** What V8 may hold beside the memory that is in use, in bytes. */
const UNCOLLECTED = 64 * 2 ** 20;

const { service, memory } = workerData as Watched;
/** What the process takes without a model. */
const own = process.memoryUsage.rss();

setInterval(() => {
  // the process leads its group
  if (process.ppid !== service) process.kill(-process.pid, 'SIGKILL');
  const taken = process.memoryUsage.rss() - own + memoryBelow(process.pid);
  if (taken > memory * 2 ** 20 + UNCOLLECTED) process.kill(process.pid, OUT_OF_MEMORY);
}, INTERVAL);

// the compile cache of this thread is apart from that of the process
flushCompileCache();

/** Memory of the processes that a process has started, and they in turn, in bytes; 0 where there is no /proc. */
function memoryBelow(pid: number): number {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.reduce((sum, child) => sum + memoryOf(child) + memoryBelow(child), 0);
}

function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

/** Empty for a process that has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
