import { getHeapStatistics } from 'node:v8';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

/**
 * Node loads this module into a process before the process's own code. Node loads it in each thread, because Temporal
 * runs workflows in threads. When the process gets the message `heap`, the module collects garbage in all threads and
 * answers with what each thread holds: its used heap and the buffers outside it, in bytes. It needs --expose-gc.
 */

const WAIT_MS = 500;
const others = new BroadcastChannel('foray-heap');
// without this, the channel would keep the thread alive, and the worker could not shut down
others.unref();

function ownHeap(): number {
  globalThis.gc!();
  // not process.memoryUsage, because it needs a descriptor, and the soak takes all of them
  const { used_heap_size: heap, external_memory: outside } = getHeapStatistics();
  return heap + outside;
}

if (isMainThread) {
  const heaps = new Map<number, number>();
  others.onmessage = ({ data }) => {
    const { thread, heap } = data as { thread: number; heap: number };
    heaps.set(thread, heap);
  };
  process.on('message', (message) => {
    if (message !== 'heap') return;
    heaps.clear();
    heaps.set(threadId, ownHeap());
    others.postMessage('heap');
    setTimeout(() => process.send!({ heaps: [...heaps.values()] }), WAIT_MS).unref();
  });
} else {
  others.onmessage = ({ data }) => {
    if (data === 'heap') others.postMessage({ thread: threadId, heap: ownHeap() });
  };
}
