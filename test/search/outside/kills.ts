import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { SearchLog } from '../../../src/campaign/search/log.ts';
import { Stream } from '../../../src/campaign/sampling/stream.ts';

/**
 * The process ids in a file, one per line, in the order in which the processes started. Only complete lines count. Half
 * a line could be the id of another process. An empty line would be 0, which means the process group of the tests.
 */
export function pidsIn(file: string): number[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1).map(Number) : [];
}

/**
 * Runs a search, and kills each process of its optimiser at a random moment, if the process has not ended before.
 *
 * @param pids - the file with the ids of the processes
 * @param within - the maximum time from the start of a process to its kill, ms
 * @param most - the maximum number of kills
 */
export async function killing(
  pids: string,
  within: number,
  seed: number,
  search: () => Promise<SearchLog>,
  most = Infinity,
): Promise<{ log: SearchLog; kills: number }> {
  const moments = new Stream(seed, 'kills');
  const over = new AbortController();
  let kills = 0;
  const killer = (async (): Promise<void> => {
    for (let seen = 0; kills < most && !over.signal.aborted; await pause(5)) {
      const all = pidsIn(pids);
      if (all.length === seen) continue;
      seen = all.length;
      await pause(within * moments.uniform());
      if (over.signal.aborted) return;
      try {
        process.kill(all.at(-1)!, 'SIGKILL');
        kills += 1;
      } catch {
        // the process has ended
      }
    }
  })();
  try {
    const log = await search();
    return { log, kills };
  } finally {
    over.abort();
    await killer;
  }
}
