import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';
import { OUT_OF_MEMORY, type Watched } from './protocol.ts';

/**
 * A thread in the process of a model. It is needed because the main thread notices nothing while the model computes.
 * The thread ends the process and its child processes if the service has ended in any way. If they take more memory
 * than their run may take, the thread ends the process, and the service ends the child processes.
 */

/** The time between two checks, in milliseconds. */
const INTERVAL = 100;
/** Memory that V8 may hold without using it, in bytes. */
const UNCOLLECTED = 64 * 2 ** 20;

const { service, memory } = workerData as Watched;
/** The memory of the process without a model, in bytes. */
const own = process.memoryUsage.rss();

setInterval(() => {
  // the process leads its group, so this ends its child processes, too
  if (process.ppid !== service) process.kill(-process.pid, 'SIGKILL');
  const taken = process.memoryUsage.rss() - own + memoryBelow(process.pid);
  if (taken > memory * 2 ** 20 + UNCOLLECTED) process.kill(process.pid, OUT_OF_MEMORY);
}, INTERVAL);

// this thread has its own compile cache
flushCompileCache();

/** The memory of all processes that descend from a process, in bytes; 0 where there is no /proc. */
function memoryBelow(pid: number): number {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.reduce((sum, child) => sum + memoryOf(child) + memoryBelow(child), 0);
}

function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

/** The text of a file in /proc; empty if its process has ended meanwhile, or where there is no /proc. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
