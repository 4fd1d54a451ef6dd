import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { SearchLog } from '../../../src/campaign/search/log.ts';
import { Stream } from '../../../src/search/methods/stream.ts';

/**
 * The process ids in a file, a line each, in the order in which the processes began. A line counts once it is whole: half a line is
 * the id of somebody else, and an empty one is 0, which stands for the whole process group of the tests.
 */
export function pidsIn(file: string): number[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1).map(Number) : [];
}

/**
 * Carries out a search, and kills each process of its optimiser at a moment of its own.
 *
 * @param pids - the file of their ids
 * @param within - each of them is killed within so many ms of its start
 * @param most - so many kills are enough
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
        // it has ended
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
