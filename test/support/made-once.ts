import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { waitForLock } from '../../src/system/file-lock.ts';

const PATIENCE_MS = 15 * 60_000;

/**
 * What `find` returns. If this is undefined, `make` makes it, in one process at a time: test files and `.ci/run` may need
 * the same thing at once, and then one makes it and the others wait.
 *
 * @param place - the path of the thing. The lock has the same name and the extension `.lock`
 * @throws Error if another process is not ready after 15 minutes
 */
export async function madeOnce<T>(
  place: string,
  find: () => T | undefined,
  make: () => Promise<T>,
): Promise<T> {
  const found = find();
  if (found !== undefined) return found;
  mkdirSync(dirname(place), { recursive: true });
  const lock = await waitForLock(`${place}.lock`, PATIENCE_MS);
  if (!lock) throw new Error(`another process has not made ${place} in 15 minutes`);
  try {
    return find() ?? (await make());
  } finally {
    lock.release();
  }
}
